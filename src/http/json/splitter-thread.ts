import { Worker } from 'node:worker_threads'
import { unavailable } from '../../errors.ts'
import type { Split } from './split.js'

interface Task {
  readonly resolve: (split: Split) => void
  readonly reject: (error: Error) => void
}

/** One life of a worker thread that splits JSON texts, one at a time. Idle it keeps no process alive. */
export class SplitterThread {
  alive = true
  readonly #worker = new Worker(new URL('./worker.js', import.meta.url))
  #task: Task | undefined

  constructor() {
    this.#worker.on('message', (split: Split) => {
      this.#task?.resolve(split)
      this.#task = undefined
      this.#worker.unref()
    })
    for (const event of ['error', 'messageerror', 'exit']) {
      this.#worker.on(event, (cause) => this.#die(cause))
    }
  }

  get busy(): boolean {
    return this.#task !== undefined
  }

  /** Takes the buffer of `bytes` along. @throws 503 when the thread ends before it has answered */
  split(bytes: Uint8Array<ArrayBuffer>): Promise<Split> {
    return new Promise((resolve, reject) => {
      this.#task = { resolve, reject }
      this.#worker.ref()
      this.#worker.postMessage(bytes, [bytes.buffer])
    })
  }

  #die(cause: unknown): void {
    this.alive = false
    this.#task?.reject(unavailable('The body could not be read; try again', cause))
    this.#task = undefined
    void this.#worker.terminate()
  }
}
