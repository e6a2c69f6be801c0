import { crc32 } from 'node:zlib'
import type { HonoRequest } from 'hono'
import { LRUCache } from 'lru-cache'
import type { Caller } from '../access/caller.ts'
import { networkOf } from '../access/network-of.ts'
import type { Requester } from '../concurrency/limiter.ts'
import { ServiceError } from '../errors.ts'
import { type FairShare, fairShareOf, withFairShare } from './requester.ts'

const maxRemembered = 10_000
/** Into so many groups addresses are divided; each of them takes turns as a tenant does. */
const groups = 16

/**
 * For whom a request is worked on until it is known who calls. A key's text and the owner in a path are whatever
 * a client writes, so they have a part of their own only if they were verified before. Others count as
 * keyless, and share a part with those whose addresses are in the same group.
 */
export class PresumedRequesters {
  /** By the hash of a key, or by the owner of something public. It says whose turn it is, never who may do what. */
  readonly #verified = new LRUCache<string, FairShare>({ max: maxRemembered })

  of(
    request: HonoRequest,
    keyHash: string | undefined,
    owner: string,
    address: () => string | undefined,
  ): Requester {
    const share = this.#verified.get(claimOf(keyHash, owner))
    return withFairShare(request, share ?? unverified(address()))
  }

  /** Keeps in mind whose the key is that `lookUp` finds, or that it is nobody's by now. */
  async learn<Found extends { readonly caller: Caller }>(
    keyHash: string | undefined,
    lookUp: () => Promise<Found>,
  ): Promise<Found> {
    if (keyHash === undefined) return lookUp()
    try {
      const found = await lookUp()
      this.#verified.set(keyHash, fairShareOf('', found.caller))
      return found
    } catch (error) {
      // Whoever has a key that was taken away would else stand in its user's queue.
      if (error instanceof ServiceError && error.kind === 'unauthorized') {
        this.#verified.delete(keyHash)
      }
      throw error
    }
  }

  /** Keeps in mind that this owner has something that may be read without a key. */
  learnPublic(owner: string): void {
    this.#verified.set(claimOf(undefined, owner), fairShareOf(owner, undefined))
  }
}

/** No hash has a space. */
const claimOf = (keyHash: string | undefined, owner: string) => keyHash ?? `owner ${owner}`

const unverified = (address = '') => ({
  tenant: `not verified, of group ${crc32(networkOf(address)) % groups}`,
  isKeyless: true,
})
