/* The types of semblance-client, from the OpenAPI document of the built program:
 *   node test/clients/types.js check         fails when they are of another document
 *   node test/clients/types.js write FOLDER  with the openapi-typescript in the node_modules of FOLDER
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url))
const types = pathOf('../../clients/typescript/src/api.ts')

/** What the types are made of: a client throws what is no success, and the rest is for readers. */
function described() {
  const args = [pathOf('../../dist/main.js'), 'openapi', '--format', 'json']
  const document = JSON.parse(execFileSync(process.execPath, args, { maxBuffer: 2 ** 26 }))
  for (const operation of Object.values(document.paths).flatMap(Object.values)) {
    const successes = Object.entries(operation.responses).filter(([status]) => status < '300')
    operation.responses = Object.fromEntries(successes)
    delete operation.description
    for (const parameter of operation.parameters ?? []) {
      if (parameter.in === 'path') delete parameter.description
    }
    for (const [, answer] of successes) delete answer.headers
  }
  const withoutExamples = (name, value) =>
    name === 'example' && typeof value !== 'boolean' ? undefined : value
  return JSON.parse(JSON.stringify(document, withoutExamples))
}

const document = described()
delete document.components.headers
delete document.components.responses
const { paths, components } = document
const digest = createHash('sha256').update(JSON.stringify({ paths, components })).digest('hex')
const head = `// Made by npm run client:generate, of the document with this SHA-256: ${digest}\n`

const [action, folder] = process.argv.slice(2)
if (action === 'write') {
  const require = createRequire(resolve(folder, 'package.json'))
  const { default: toTypes, astToString } = require('openapi-typescript')
  writeFileSync(types, head + astToString(await toTypes(document)))
} else if (!readFileSync(types, 'utf8').startsWith(head)) {
  process.stderr.write(
    'The types of clients/typescript are of another document: npm run client:generate\n',
  )
  process.exitCode = 1
}
