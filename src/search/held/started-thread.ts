import type { WorkerThread } from '../../concurrency/worker-thread.ts'

/** A thread that holds what was read. It starts when it is first asked, and again after its end. */
export class StartedThread<Message, Reply> {
  readonly #start: () => WorkerThread<Message, Reply>
  readonly #ended: () => void
  #thread: WorkerThread<Message, Reply> | undefined

  /** @param ended is called when the thread has ended and what it held is lost */
  constructor(start: () => WorkerThread<Message, Reply>, ended: () => void) {
    this.#start = start
    this.#ended = ended
  }

  /** @throws ThreadEnded */
  ask(message: Message): Promise<Reply> {
    return this.#running().ask(message)
  }

  tell(message: Message): void {
    this.#running().tell(message)
  }

  /** Tells a thread that has ended nothing: what it held is gone. */
  tellIfAlive(message: Message): void {
    if (this.#thread?.alive) this.#thread.tell(message)
  }

  #running(): WorkerThread<Message, Reply> {
    if (this.#thread?.alive) return this.#thread
    const thread = this.#start()
    void thread.exit.then(() => {
      if (this.#thread === thread) this.#ended()
    })
    this.#thread = thread
    return thread
  }
}
