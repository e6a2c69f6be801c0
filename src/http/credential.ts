import type { HonoRequest } from 'hono'
import { unauthorized } from '../errors.ts'
import { hashKey } from '../secrets/keys.ts'

/** What a request presents as its key, if it has the form of one. */
export const presentedKey = (request: HonoRequest) =>
  /^bearer ([^\s]+)$/i.exec(request.header('authorization') ?? '')?.[1]

/**
 * The hash of the key that a request presents; undefined without a header.
 * @throws 401 for anything but one bearer key
 */
export function keyHashOf(request: HonoRequest): string | undefined {
  if (request.header('authorization') === undefined) return undefined
  const key = presentedKey(request)
  if (key === undefined) throw unauthorized()
  return hashKey(key)
}
