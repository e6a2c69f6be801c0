// Runs programs, one in each line as a JSON string, and says in a line what each has printed.
import { createInterface } from 'node:readline'
import { format } from 'node:util'

for await (const line of createInterface(process.stdin)) {
  const printed = []
  console.log = (...values) => printed.push(format(...values))
  const failure = await import(`data:text/javascript,${encodeURIComponent(JSON.parse(line))}`).then(
    () => null,
    (error) => String(error.stack),
  )
  process.stdout.write(`${JSON.stringify({ printed: printed.join('\n'), failure })}\n`)
}
