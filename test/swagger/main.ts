/*
 * Presses Execute in Swagger UI on every operation of /docs, with everything as the page fills it in: the
 * examples of the document must work as they are. Uses semblance-client in a page, too. Run by .ci/swagger.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { walkInPage } from './client-in-page.ts'
import { DocsPage, type ListedOperation, type Outcome } from './docs-page.ts'
import { keepsKeyInTab } from './key-in-tab.ts'
import { startServer } from './server.ts'
import { World } from './world.ts'

const folder = await mkdtemp(join(tmpdir(), 'semblance-swagger-'))
const server = await startServer(folder)
const browser = await chromium.launch({
  executablePath: process.argv[2] ?? '/usr/bin/chromium',
  chromiumSandbox: false,
  args: ['--disable-gpu', '--disable-quic'],
})
try {
  const walked = await walkInPage(browser, server)
  process.stdout.write(`semblance-client in a page: ${walked}\n`)
  await keepsKeyInTab(browser, server)
  process.stdout.write('a key of /docs: kept in its tab\n')
  const world = new World(server)
  const page = await DocsPage.open(browser, server.url)
  await page.authorize(server.key)
  const failures: string[] = []
  let executed = 0
  for (const operation of await page.operations()) {
    const types = await page.tryOut(operation)
    for (const type of types) {
      await world.prepareFor(operation)
      const outcome = await page.execute(operation, type)
      executed += 1
      if (!isSuccess(operation, outcome)) failures.push(described(operation, type, outcome))
    }
    await page.close(operation)
  }
  process.stdout.write(`${failures.join('')}${executed} executed, ${failures.length} failed\n`)
  process.exitCode = failures.length > 0 || walked !== 'walked' ? 1 : 0
} finally {
  await browser.close()
  await server.stop()
  await rm(folder, { recursive: true })
}

function isSuccess({ id }: ListedOperation, { status, answer }: Outcome): boolean {
  // It would ask a provider, which this server may not.
  if (id === 'testInstance') return status === '403' && answer.includes('SERVICE_EMBEDDINGHOSTS')
  return status !== undefined && /^2\d\d$/.test(status) && !/"error"/.test(answer)
}

function described(operation: ListedOperation, type: string | undefined, outcome: Outcome): string {
  const { title, id } = operation
  const as = type === undefined ? '' : ` as ${type}`
  const { status = 'not sent', sent, answer } = outcome
  return `${title} (${id})${as}: ${status}\n${sent}\n${answer}\n\n`
}
