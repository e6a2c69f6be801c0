import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { workerScript } from '../../src/concurrency/worker-script.ts'

describe('the script of a worker', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'semblance-script-'))
    for (const room of ['src/room', 'dist/room']) {
      await mkdir(join(folder, room), { recursive: true })
    }
  })
  afterEach(() => rm(folder, { recursive: true }))

  const urlOf = (path: string) => pathToFileURL(join(folder, path))
  const fromSources = () =>
    workerScript(urlOf('src/room/client.ts').href, './worker.ts', urlOf('src/'))
  /** Writes a file as if it had been written at that second. */
  async function write(path: string, second: number, text = ''): Promise<void> {
    await writeFile(join(folder, path), text)
    await utimes(join(folder, path), second, second)
  }
  async function writeWorker(built: number): Promise<void> {
    await write('src/room/worker.ts', 1)
    await write('src/other.ts', 1)
    await write('dist/room/worker.js', built, "import { other } from '../other.js'")
    await write('dist/other.js', built)
  }

  it('is the file beside a caller that was built', () => {
    const script = workerScript('file:///srv/dist/room/client.js', './worker.ts')
    expect(script.href).toBe('file:///srv/dist/room/worker.js')
  })

  it('is the built file for a caller that runs from its source', async () => {
    await writeWorker(2)
    expect(fromSources()).toEqual(urlOf('dist/room/worker.js'))
  })

  it('is refused without a build', async () => {
    await write('src/room/worker.ts', 1)
    expect(fromSources).toThrow(/worker\.js is missing or older .* run npm run build first/)
  })

  it('is the built file when a source was written again with what it had said', async () => {
    await writeWorker(2)
    await write('src/other.ts', 3)
    await write('dist/tsconfig.tsbuildinfo', 4)
    expect(fromSources()).toEqual(urlOf('dist/room/worker.js'))
  })

  it('is refused when a built file is gone', async () => {
    await writeWorker(2)
    await rm(join(folder, 'dist/other.js'))
    await write('dist/tsconfig.tsbuildinfo', 4)
    expect(fromSources).toThrow(/other\.js is missing or older/)
  })

  it('is refused when a source has changed that it loads', async () => {
    await writeWorker(2)
    await write('src/other.ts', 3)
    expect(fromSources).toThrow(/other\.js is missing or older .* run npm run build first/)
  })
})
