import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockFolder, refuseHeldFolder } from '../../src/db/embedded/folder-lock.ts'
import { StartupError } from '../../src/errors.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const builtLock = new URL('../../dist/db/embedded/folder-lock.js', import.meta.url).href
let folder = ''
const lockFolderPath = () => join(folder, 'semblance.lock')
const entryPath = () => join(lockFolderPath(), 'entry')

/** A lock as a system without Unix sockets has it. */
async function writeLock(text: string): Promise<void> {
  await mkdir(lockFolderPath(), { recursive: true })
  await writeFile(entryPath(), text)
}

beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => chmod(folder, 0o700))

/** Another process, which is alive until `end` is called. */
async function neighbour() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
  await once(child, 'spawn')
  const { pid = 0 } = child
  const end = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const { started } = await statsOf(pid)
  return { pid, started, end }
}

/** The same, with a lock of the folder. */
async function holder() {
  const { pid, started, end } = await neighbour()
  const entry = `${pid} ${started}`
  await writeLock(entry)
  return { pid, entry, end }
}

const lockAndUnlock = async () => (await lockFolder(folder))()

/** What the system says of a process: its state, and when it started. */
async function statsOf(pid: number) {
  const stats = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ' ')
  const fields = stats.slice(stats.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0], started: fields[19] ?? 'unknown' }
}

describe('a locked folder', () => {
  it('is created when it is missing, for its owner alone', async () => {
    const inner = join(folder, 'a', 'b')
    const unlock = await lockFolder(inner)
    expect((await stat(inner)).mode & 0o777).toBe(0o700)
    expect((await stat(join(inner, 'semblance.lock'))).mode & 0o777).toBe(0o700)
    await unlock()
  })

  it('is given back whole', async () => {
    for (let round = 0; round < 3; round += 1) {
      const unlock = await lockFolder(folder)
      expect(await readdir(folder)).toEqual(['semblance.lock'])
      await unlock()
      expect(await readdir(folder)).toEqual([])
    }
  })

  it('is locked by the longest path', async () => {
    const inner = join(folder, 'a'.repeat(200), 'b'.repeat(200))
    const unlock = await lockFolder(inner)
    await expect(refuseHeldFolder(inner)).rejects.toThrow('in use by a process')
    await unlock()
    await refuseHeldFolder(inner)
  })

  it('is refused to the same process', async () => {
    const unlock = await lockFolder(folder)
    await expect(lockFolder(folder)).rejects.toThrow(StartupError)
    await expect(lockFolder(folder)).rejects.toThrow(`${folder} is in use`)
    await unlock()
  })

  it('is refused while another process holds it, and free once that is killed', async () => {
    const { pid, entry, end } = await holder()
    const refusal = lockFolder(folder)
    await expect(refusal).rejects.toThrow(StartupError)
    await expect(refusal).rejects.toThrow(`in use by process ${pid}; stop it or choose another`)
    expect(await readFile(entryPath(), 'utf8')).toBe(entry)
    expect(await readdir(folder)).toEqual(['semblance.lock'])
    await end()
    await lockAndUnlock()
  })

  it('has one holder, of many that find the lock of a killed process', async () => {
    const script = `
      const { lockFolder } = await import(${JSON.stringify(builtLock)})
      process.on('disconnect', () => process.exit())
      process.send('ready')
      process.on('message', () => lockFolder(process.argv[1], 0).then(() => process.send('holds'), () => process.send('refused')))`
    const start = async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, folder], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      })
      await once(child, 'message')
      const lock = async () => {
        child.send('go')
        return String((await once(child, 'message'))[0])
      }
      const end = async () => {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      return { lock, end }
    }
    const killed = await start()
    expect(await killed.lock()).toBe('holds')
    await killed.end()
    const all = await Promise.all(Array.from({ length: 6 }, start))
    const said = await Promise.all(all.map(({ lock }) => lock()))
    expect(said.toSorted()).toEqual(['holds', ...Array(5).fill('refused')])
    expect(await readdir(folder)).toEqual(['semblance.lock'])
    await Promise.all(all.map(({ end }) => end()))
  })

  it.runIf(process.geteuid?.() === 0)('is left to the owner of the folder by root', async () => {
    await chown(folder, 1000, 1000)
    const unlock = await lockFolder(folder)
    expect((await stat(lockFolderPath())).uid).toBe(1000)
    await unlock()
  })

  it('is waited for while the process that holds it is ending', async () => {
    const { entry, end } = await holder()
    const locking = lockFolder(folder, 60_000)
    await sleep(200)
    expect(await readFile(entryPath(), 'utf8')).toBe(entry)
    await end()
    const unlock = await locking
    await unlock()
  })

  it.skipIf(!existsSync('/proc/self'))('is free once its holder has ended, unnoticed', async () => {
    // A shell that has become another program does not wait for what it has started; before, it may.
    const parent = spawn('sh', ['-c', 'exec 3<&0; cat <&3 & echo $!; exec sleep 1000'])
    const [said] = await once(parent.stdout, 'data')
    const nameOf = () => readFile(`/proc/${parent.pid}/comm`, 'utf8')
    await expect.poll(nameOf).toBe('sleep\n')
    parent.stdin.end()
    const pid = Number(said)
    await expect.poll(async () => (await statsOf(pid)).state).toBe('Z')
    await writeLock(`${pid} ${(await statsOf(pid)).started}`)
    await lockAndUnlock()
    parent.kill('SIGKILL')
    await once(parent, 'exit')
  })

  it('is taken over when the number of a killed process belongs to another one now', async () => {
    const { pid, end } = await neighbour()
    await writeLock(`${pid} 1`)
    const unlock = await lockFolder(folder)
    expect(await readdir(lockFolderPath())).toEqual([expect.stringMatching(`^${process.pid} `)])
    await unlock()
    await end()
  })

  it.each(['', 'rubbish', '0 0', '-1 x', `${process.pid} from-an-earlier-container`])(
    'is taken over from a lock that says %j',
    async (text) => {
      await writeLock(text)
      const unlock = await lockFolder(folder)
      expect(await readdir(folder)).toEqual(['semblance.lock'])
      await unlock()
    },
  )
})

describe('what killed starts have left', () => {
  it('goes with the next one, but for those that are still there', async () => {
    const { pid, started, end } = await neighbour()
    const gone = await neighbour()
    await gone.end()
    const claim = async (name: string, of: { pid: number; started: string }) => {
      await mkdir(join(folder, name))
      await writeFile(join(folder, name, 'entry'), `${of.pid} ${of.started}`)
    }
    await claim('semblance.lock.new-killed', gone)
    await claim('semblance.lock.new-others', { pid, started })
    await claim('semblance.lock.of-mine', gone)
    const unlock = await lockFolder(folder)
    const names = ['semblance.lock', 'semblance.lock.new-others', 'semblance.lock.of-mine']
    expect((await readdir(folder)).toSorted()).toEqual(names)
    await unlock()
    await end()
  })
})

describe('a folder that cannot be written', () => {
  it('is named with the setting', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    const refusal = lockFolder(join(file, 'inner'))
    await expect(refusal).rejects.toThrow(StartupError)
    await expect(refusal).rejects.toThrow(/file.* cannot be written \(ENOTDIR\).*SERVICE_DATADIR/)
  })
})
