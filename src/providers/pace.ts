import { LRUCache } from 'lru-cache'
import { NoReply } from './post.ts'

/** The texts of the first request to a provider: also one that takes seconds for each answers in time. */
const firstTexts = 16

/**
 * How long providers take for a text, by the last request of each. A model on a laptop takes seconds
 * for each, and a request of a hundred texts would time out, however often it is repeated.
 */
export class Pace {
  /** Milliseconds for a text. */
  readonly #paces = new LRUCache<string, number>({ max: 1_000 })

  /** How many texts the provider is expected to embed within so many milliseconds, at least one. */
  textsIn(provider: string, milliseconds: number): number {
    const pace = this.#paces.get(provider)
    return pace === undefined ? firstTexts : Math.max(1, Math.floor(milliseconds / pace))
  }

  /** Sends a request, and notes how long it took; also if it failed for that. */
  async measured<Answer>(
    provider: string,
    texts: number,
    send: () => Promise<Answer>,
  ): Promise<Answer> {
    const start = performance.now()
    const note = () => this.#paces.set(provider, (performance.now() - start) / texts)
    try {
      const answer = await send()
      note()
      return answer
    } catch (error) {
      if (error instanceof NoReply && !error.isPassing) note()
      throw error
    }
  }
}
