/*
 * Walks the pages for people in a browser: what they show, that each state has a URL, that nothing is shown to
 * those who may not read it, that what users have written stays text, and that they can be used by everybody.
 * Run by .ci/pages.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { startServer } from '../swagger/server.ts'
import { frameWalks } from './frame-walks.ts'
import { keyWalks } from './key-walks.ts'
import { makingWalks } from './making-walks.ts'
import { managingWalks } from './managing-walks.ts'
import { mapSearchWalks } from './map-search-walks.ts'
import { modelWalks } from './model-walks.ts'
import { readingWalks } from './reading-walks.ts'
import { startProvider } from './site.ts'
import { typingWalks } from './typing-walks.ts'
import { uploadWalks } from './upload-walks.ts'
import { Visitor } from './visitor.ts'
import { walks } from './walks.ts'
import { makeWorld, wordVectors } from './world.ts'

const [, , executablePath = '/usr/bin/chromium', screenshots, ...names] = process.argv
const allWalks = {
  ...walks,
  ...frameWalks,
  ...readingWalks,
  ...mapSearchWalks,
  ...modelWalks,
  ...makingWalks,
  ...uploadWalks,
  ...keyWalks,
  ...managingWalks,
  ...typingWalks,
}
const unknown = names.filter((name) => !(name in allWalks))
if (unknown.length > 0) throw new Error(`no walk is called ${unknown.join(', ')}`)
if (screenshots !== undefined) await mkdir(screenshots, { recursive: true })
const database = process.env['SERVICE_DATABASE_URL']
const keys = {
  SERVICE_ADMINKEY: 'the-administrators-key-of-the-walk',
  ENCRYPTION_KEY: 'the-encryption-key-of-the-walk-32+',
}
const folder = await mkdtemp(join(tmpdir(), 'semblance-pages-'))
const provider = await startProvider(wordVectors)
const server = await startServer(folder, {
  SERVICE_EMBEDDINGHOSTS: provider.host,
  ...(database && { ...keys, SERVICE_DATABASE_URL: database }),
})
const browser = await chromium.launch({
  executablePath,
  chromiumSandbox: false,
  // Of WebGL, the one without a graphics card.
  args: ['--disable-quic', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
})
let failed = 0
try {
  const key = await makeWorld(server, provider.host)
  for (const [name, walk] of Object.entries(allWalks)) {
    if (names.length > 0 && !names.includes(name)) continue
    const began = Date.now()
    const visitor = await Visitor.come(browser, screenshots)
    const given = { visitor, page: visitor.page, browser, url: server.url, key, screenshots }
    const outcome = await walk({ ...given, adminKey: server.key })
      .then(() => visitor.leave())
      .then(
        () => 'walked',
        (error: unknown) => {
          failed += 1
          return error instanceof Error ? `${error.stack}` : String(error)
        },
      )
    process.stdout.write(`${name}: ${outcome} (${Math.round((Date.now() - began) / 1000)} s)\n`)
  }
} finally {
  await browser.close()
  await server.stop()
  provider.stop()
  await rm(folder, { recursive: true })
}
const engine = database ? 'PostgreSQL' : 'the embedded database'
process.stdout.write(`the pages on ${engine}: ${failed} walks failed\n`)
process.exitCode = failed > 0 ? 1 : 0
