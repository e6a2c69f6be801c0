import type { HonoRequest } from 'hono'
import { unauthorized } from '../errors.ts'
import { hashKey } from '../secrets/keys.ts'

/** The bearer key that a request presents, if the header has that form. */
export const presentedKey = (request: HonoRequest) =>
  /^bearer ([^\s]+)$/i.exec(request.header('authorization') ?? '')?.[1]

/**
 * The hash of the key that a request presents; undefined without an Authorization header.
 * @throws 401 unless the header holds exactly one bearer key
 */
export function keyHashOf(request: HonoRequest): string | undefined {
  if (request.header('authorization') === undefined) return undefined
  const key = presentedKey(request)
  if (key === undefined) throw unauthorized()
  return hashKey(key)
}
