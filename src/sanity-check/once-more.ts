import { ServiceError } from '../errors.ts'

/** Whether a scheme was refused, for what it is or for what it costs. */
export const isRefusal = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.kind !== 'unavailable'

/** Tries what was refused once more: on a busy machine a cheap scheme can run out of its time too. */
export async function onceMore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isRefusal(error)) throw error
    return await work()
  }
}
