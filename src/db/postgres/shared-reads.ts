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
  return async (values) => {
    const asker = requester()
    // The name is there for the turns that requesters take, not for their rights.
    const key = JSON.stringify([asker?.name, values])
    const known = unsent.get(key)
    if (known === undefined) {
      const answer = nextTurn().then(() => {
        unsent.delete(key)
        return read(values)
      })
      unsent.set(key, { asker, answer })
      return answer
    }
    return known.answer.catch((error) => {
      // The one who asked first has hung up, which is nothing to the others.
      if (known.asker?.signal.aborted) return read(values)
      throw error
    })
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))
