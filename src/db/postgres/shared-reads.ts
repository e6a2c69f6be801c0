import type { Requester } from '../../concurrency/limiter.ts'
import type { Read } from '../database.ts'

/** A read that is not sent yet. */
interface Unsent<Answer> {
  readonly asker: Requester | undefined
  readonly answer: Promise<Answer>
}

/**
 * Requests of one requester that come together and ask the same share one statement. It is sent when
 * what has come by now has been taken in, so its answer is as recent as if each had sent its own.
 * @param requester returns for whom the current task is done
 */
export function sharedReads<Values extends object, Answer>(
  requester: () => Requester | undefined,
  read: Read<Values, Answer>,
): Read<Values, Answer> {
  const unsent = new Map<string, Unsent<Answer>>()

  function begin(key: string, values: Values): Unsent<Answer> {
    const answer = nextTurn().then(() => {
      unsent.delete(key)
      return read(values)
    })
    const begun = { asker: requester(), answer }
    unsent.set(key, begun)
    return begun
  }

  return async (values) => {
    const key = JSON.stringify([requester()?.name, values])
    const known = unsent.get(key)
    if (known === undefined) return begin(key, values).answer
    return known.answer.catch((error) => {
      // The one who asked first has hung up, which is nothing to the others.
      if (known.asker?.signal.aborted) return read(values)
      throw error
    })
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
