import { parentPort, type Transferable } from 'node:worker_threads'
import { threadStatFile } from './cpu-time.ts'

/** What a thread receives. What has no id is told, not asked: there is no reply to it. */
interface ToThread<Request> {
  readonly id?: number
  readonly request: Request
}

/** What a thread sends: once that it is ready, replies, and notices at any time. */
export type FromThread<Reply, Notice> =
  | {
      /** The file in which the kernel counts its processor time; undefined if it is not counted. */
      readonly ready: { readonly statFile: string | undefined }
    }
  | { readonly id: number; readonly reply: Reply }
  | { readonly notice: Notice }

interface Options<Reply> {
  /** The objects in a reply that are transferred instead of copied. */
  readonly transfer?: (reply: Reply) => readonly Transferable[]
  /** Runs after a reply was sent. */
  readonly afterReply?: () => void
}

/** The thread's side of a `WorkerThread`: answers each request with one reply. */
export function serveRequests<Request, Reply>(
  answer: (request: Request) => Reply | Promise<Reply>,
  { transfer = () => [], afterReply = () => {} }: Options<Reply> = {},
): void {
  const port = ownPort()
  port.on('message', async ({ id, request }: ToThread<Request>) => {
    const reply = await answer(request)
    if (id === undefined) return
    port.postMessage({ id, reply }, [...transfer(reply)])
    afterReply()
  })
  port.postMessage({ ready: { statFile: threadStatFile() } })
}

/** Tells the other side something that it did not ask for. */
export const notify = (notice: unknown): void => ownPort().postMessage({ notice })

function ownPort() {
  if (parentPort === null) throw new Error('Requests are served by worker threads only')
  return parentPort
}
