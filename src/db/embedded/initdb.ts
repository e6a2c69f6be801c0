// This is a process of its own. It creates the files of a new database in the given folder, and
// ends. A thread does the work, which blocks for seconds, so that the process notices when its
// parent ends.
import { mkdir } from 'node:fs/promises'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

if (isMainThread) {
  const end = () => process.kill(process.pid, 'SIGKILL')
  process.on('disconnect', end)
  if (!process.connected) end()
  const thread = new Worker(new URL(import.meta.url), { workerData: process.argv[2] })
  thread.on('error', (error) => {
    process.stderr.write(`${error.stack}\n`)
    process.exitCode = 1
  })
  thread.on('exit', (code) => process.exit(process.exitCode ?? code))
} else {
  const folder = `${workerData}`
  await mkdir(folder, { mode: 0o700 })
  const { PGlite } = await import('@electric-sql/pglite')
  const { syncTree } = await import('../../durable-files.ts')
  const { noRoomExit } = await import('./disk-full.ts')
  const { PrivateFiles } = await import('./private-files.ts')
  const fail = (reason: Error) => {
    throw reason
  }
  const pglite = await PGlite.create({
    fs: new PrivateFiles(folder, () => process.exit(noRoomExit), fail),
  })
  await pglite.close()
  await syncTree(folder)
  process.exit(0)
}
