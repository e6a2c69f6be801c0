/** What another process was asked and has not answered yet. */
export class OpenQuestions<Answer> {
  readonly #open = new Map<number, (answer: Answer | undefined) => void>()
  readonly #withinMs: number
  #asked = 0

  constructor(withinMs: number) {
    this.#withinMs = withinMs
  }

  /**
   * @param send tells whether it was possible; it may still fail, and then there is no answer either
   * @returns undefined where none comes in time
   */
  async ask(send: (id: number) => boolean): Promise<Answer | undefined> {
    this.#asked += 1
    const id = this.#asked
    let timer: NodeJS.Timeout | undefined
    const answer = await new Promise<Answer | undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), this.#withinMs)
      this.#open.set(id, resolve)
      // Who waited in vain for a process that is gone would keep each request waiting.
      if (!send(id)) resolve(undefined)
    })
    clearTimeout(timer)
    this.#open.delete(id)
    return answer
  }

  answered(id: number, answer: Answer): void {
    this.#open.get(id)?.(answer)
  }
}
