import { createContext, Script } from 'node:vm'

const budgetMs = 1_000

/**
 * Runs synchronous work whose cost strangers decide, and ends it after a second: JavaScript itself
 * cannot be interrupted, a script with a time limit can, with all that it calls.
 * @throws `refusal(…)` when the time is over, or what the work throws
 */
export function withinBudget<T>(work: () => T, refusal: (reason: string) => Error): T {
  const results: T[] = []
  const context = createContext({ work: () => void results.push(work()) })
  try {
    new Script('work()').runInContext(context, { timeout: budgetMs })
  } catch (error) {
    // An error of the script's own realm, which is no instance of this one's Error.
    if (Reflect.get(Object(error), 'code') !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw refusal(`took longer than ${budgetMs} ms`)
  }
  const [result] = results
  if (result === undefined) throw new Error('the work has no result')
  return result
}
