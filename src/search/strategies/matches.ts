import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Database, Db } from '../../db/database.ts'
import type { CollectionState } from '../memory/candidates.ts'
import { type MatchingVariant, matchingStatement } from '../statements/filter-statements.ts'
import type { Query, Search } from '../statements/query.ts'
import { cached } from '../statements/statements.ts'
import { valuesOf, variantOf } from '../statements/variant.ts'

/**
 * How many can be compared one by one in the time of an index search, which grows with the index.
 */
const fewOf = ({ vectors }: CollectionState) => Math.round(1_500 * (vectors / 32_768) ** 0.4)
/** Limit of the cache, in characters. */
const maxCharacters = 16 * 2 ** 20
const tooMany = ''

/** Finds the text_ids of what a filter or `metadata_path` keeps, as a JSON array. */
export function createMatches(
  db: Db,
  { history, isDistributed }: Pick<Database, 'history' | 'isDistributed'>,
) {
  const statement = cached((variant: MatchingVariant) => matchingStatement(db, variant))
  const known = new LRUCache<string, string>({
    maxSize: maxCharacters,
    sizeCalculation: (ids, key) => ids.length + key.length,
  })

  async function find(query: Query, most: number) {
    const { collectionId, dimensions } = query
    const form = { collectionId, dimensions }
    const variant = variantOf(query, [])
    // With distributed embeddings, looking for a metadata index would ask every worker.
    const indexed = isDistributed ? undefined : variant.indexed
    const [found] = await statement({ ...variant, indexed, form }).execute({
      ...valuesOf(query, []),
      most,
    })
    return found ?? { count: 0, textIds: '[]' }
  }

  return {
    all: async (query: Query): Promise<string> => (await find(query, most)).textIds,

    /**
     * The matches, if they are few. They are cached until the project's embeddings or metadata
     * change.
     * @returns undefined if there are more than a few
     */
    few: async ({ query, collection }: Search): Promise<string | undefined> => {
      const { collectionId, dimensions, revision } = collection
      const few = fewOf(collection)
      const since = `${history()} ${collection.history} ${revision}`
      const key = `${since} ${collectionId} ${dimensions} ${keyOf(query)}`
      let textIds = known.get(key)
      if (textIds === undefined) {
        const found = await find(query, few + 1)
        textIds = found.count > few ? tooMany : found.textIds
        known.set(key, textIds)
      }
      return textIds === tooMany ? undefined : textIds
    },
  }
}

const most = Number.MAX_SAFE_INTEGER

/** Equal for filters that keep the same. It is a digest because filters may be long. */
export const keyOf = ({ exclude, filter }: Query): string =>
  hash('sha256', JSON.stringify([exclude, filter?.form, filter?.values]), 'base64')
