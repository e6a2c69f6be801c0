import { hash } from 'node:crypto'
import type { Asker, BudgetLeft, EmbeddedTexts } from '../access/asker.ts'
import { callerName } from '../access/caller.ts'
import { mayAskInWords } from '../access/rules.ts'
import type { Requester } from '../concurrency/limiter.ts'
import type { Database } from '../db/database.ts'
import { forbidden, unauthorized } from '../errors.ts'
import type { createEmbeddingProviders } from '../providers/embedding-providers.ts'
import type { Provider } from '../providers/provider.ts'
import type { Sealer } from '../secrets/sealing.ts'
import { chargeBudget } from './budget.ts'
import { createFindProvider } from './find-provider.ts'
import { QueryVectors } from './query-vectors.ts'

export type TextEmbedding = ReturnType<typeof createTextEmbedding>

/** Has texts embedded with the instance of a project, for those to whom its owner allows it. */
export function createTextEmbedding(
  database: Database,
  sealer: Sealer,
  providers: ReturnType<typeof createEmbeddingProviders>,
) {
  const findProvider = createFindProvider(database.short.db, sealer)
  const known = new QueryVectors(sealer)

  /** @returns what is left, nothing where nothing was to be paid for */
  async function embedMissing(
    asker: Asker,
    provider: Provider,
    found: Map<string, Float32Array | undefined>,
    requester: Requester,
  ): Promise<readonly BudgetLeft[]> {
    const missing = [...found].flatMap(([text, vector]) => (vector === undefined ? [text] : []))
    if (missing.length === 0) return []
    const left = await chargeBudget(database, asker.project, payerOf(asker), costOf(missing))
    const vectors = await providers.embed(provider, 'query', missing, requester)
    for (const [index, text] of missing.entries()) {
      const vector = vectors[index]
      if (vector === undefined) continue
      found.set(text, vector)
      known.set(provider, text, vector)
    }
    return left
  }

  return {
    /**
     * The vectors to search for.
     * @throws 401 or 403 for whom the owner does not allow it, 429 for a spent budget, and what the provider
     *   refuses
     */
    async queries(
      asker: Asker,
      texts: readonly string[],
      requester: Requester,
    ): Promise<EmbeddedTexts> {
      requireAudience(asker)
      const provider = await findProvider(asker.project)
      const found = new Map(texts.map((text) => [text, known.get(provider, text)]))
      const left = await embedMissing(asker, provider, found, requester)
      return { vectors: texts.flatMap((text) => found.get(text) ?? []), left }
    },

    /** The vectors to store. Who owns the project pays without a budget. @throws as `queries` does */
    async documents(
      asker: Asker,
      texts: readonly string[],
      requester: Requester,
    ): Promise<EmbeddedTexts> {
      const { project, relations } = asker
      const isOwn = relations.has('owner') || relations.has('admin')
      if (!isOwn) requireAudience(asker)
      const provider = await findProvider(project)
      const left = isOwn ? [] : await chargeBudget(database, project, payerOf(asker), costOf(texts))
      const vectors = await providers.embed(provider, 'document', texts, requester)
      return { vectors, left }
    },

    /** When an instance is changed or deleted. */
    forget: (instanceId: number) => known.forget(instanceId),
  }
}

function requireAudience({ project, caller, relations }: Asker): void {
  const { owner, handle, textQueries } = project
  if (mayAskInWords(textQueries, relations)) return
  if (textQueries === 'off') {
    throw forbidden(
      `No texts are embedded for project '${owner}/${handle}'; its owner can allow it with PATCH of the project: {"text_queries": "members"}`,
    )
  }
  if (caller.kind === 'anonymous') throw unauthorized()
  throw forbidden(
    `Texts are embedded for members of project '${owner}/${handle}' alone: its owner, and those with a share`,
  )
}

const costOf = (texts: readonly string[]) => ({
  requests: texts.length,
  characters: texts.reduce((sum, text) => sum + [...text].length, 0),
})

/** Without a key each address is one, of IPv6 each network; no address is stored. */
function payerOf({ caller, address = '' }: Asker): string {
  if (caller.kind !== 'anonymous') return callerName(caller)
  const network = address.includes(':') ? address.split(':').slice(0, 4).join(':') : address
  return `_address:${hash('sha256', network).slice(0, 16)}`
}
