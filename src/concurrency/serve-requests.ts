import { parentPort, type Transferable } from 'node:worker_threads'
import { threadStatFile } from './cpu-time.ts'

/** The first message of a thread, which says that it can take requests. */
export interface Ready {
  /** The file in which the kernel counts its processor time; undefined if that is not counted. */
  readonly statFile: string | undefined
}

interface Options<Reply> {
  /** The objects in a reply that are transferred instead of copied. */
  readonly transfer?: (reply: Reply) => readonly Transferable[]
  /** Runs after a reply was sent. */
  readonly afterReply?: () => void
}

/** The thread's side of a `WorkerThread`: answers each request with one reply, one at a time. */
export function serveRequests<Request, Reply>(
  answer: (request: Request) => Reply | Promise<Reply>,
  { transfer = () => [], afterReply = () => {} }: Options<Reply> = {},
): void {
  if (parentPort === null) throw new Error('Requests are served by worker threads only')
  const port = parentPort
  port.on('message', async (request: Request) => {
    const reply = await answer(request)
    port.postMessage(reply, [...transfer(reply)])
    afterReply()
  })
  const ready: Ready = { statFile: threadStatFile() }
  port.postMessage(ready)
}
