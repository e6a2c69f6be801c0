import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** What was seen of a server in some time. */
export interface Seen {
  /** The longest that /livez took, in milliseconds. */
  readonly worst: number
  readonly p50: number
  /** Processor time of the thread that answers, in milliseconds: the machine may be busy with other things. */
  readonly busy: number
  /** Mebibytes of resident memory at the beginning, and the most of it. */
  readonly before: number
  readonly peak: number
}

/** Asks a server for /livez, and the system for its memory, from a thread that does nothing else. */
export class Watch {
  readonly #thread: Worker

  constructor(url: string, pid: number) {
    this.#thread = new Worker(new URL('./watch-thread.js', import.meta.url), {
      workerData: { url, pid },
    })
  }

  /** Begins anew. @returns what was seen since the last time */
  async next(): Promise<Seen> {
    const answer = once(this.#thread, 'message')
    this.#thread.postMessage('next')
    const [seen]: Seen[] = await answer
    if (seen === undefined) throw new Error('nothing was seen')
    return seen
  }

  async end(): Promise<void> {
    await this.#thread.terminate()
  }
}
