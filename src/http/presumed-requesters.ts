import { crc32 } from 'node:zlib'
import type { HonoRequest } from 'hono'
import { LRUCache } from 'lru-cache'
import type { Caller } from '../access/caller.ts'
import { networkOf } from '../access/network-of.ts'
import type { Requester } from '../concurrency/limiter.ts'
import { ServiceError } from '../errors.ts'
import { type FairShare, fairShareOf, withFairShare } from './requester.ts'

const maxRemembered = 10_000
/** Addresses are divided into this many groups. Each group takes turns like a requester. */
const groups = 16

/**
 * Says for whom a request is worked on until its caller is known. Clients may write any key and any
 * owner into a request, so these get their own fair share only if they were verified before. Other
 * requests count as keyless and share with the addresses of the same group.
 */
export class PresumedRequesters {
  /**
   * The keys are hashes of keys, or owners of something public. Decides only turns, never rights.
   */
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

  /** Remembers whose key `lookUp` finds, and forgets a key that nobody has any more. */
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
      // Otherwise a client with a revoked key would stay in its former user's queue.
      if (error instanceof ServiceError && error.kind === 'unauthorized') {
        this.#verified.delete(keyHash)
      }
      throw error
    }
  }

  /** Remembers that this owner has something that can be read without a key. */
  learnPublic(owner: string): void {
    this.#verified.set(claimOf(undefined, owner), fairShareOf(owner, undefined))
  }
}

/** No hash has a space, so the two kinds of claims differ. */
const claimOf = (keyHash: string | undefined, owner: string) => keyHash ?? `owner ${owner}`

const unverified = (address = '') => ({
  name: `not verified, of group ${crc32(networkOf(address)) % groups}`,
  isKeyless: true,
})
