import { hash } from 'node:crypto'
import type { Instance } from '../access/access.ts'
import { callerName, namedKeyOf } from '../access/caller.ts'
import type { BudgetLeft, EmbeddedTexts, TextRequest } from '../access/granted-project.ts'
import { networkOf } from '../access/network-of.ts'
import { mayAskInWords } from '../access/rules.ts'
import type { Requester } from '../concurrency/limiter.ts'
import type { Database } from '../db/database.ts'
import { forbidden, unauthorized } from '../errors.ts'
import type { createEmbeddingProviders } from '../providers/embedding-providers.ts'
import type { Sealer } from '../secrets/sealing.ts'
import { type Charge, chargeBudget } from './budget.ts'
import { createFindProvider, type FoundProvider } from './find-provider.ts'
import { QueryVectors } from './query-vectors.ts'

/** Embeds texts with the instance of a project, for callers whom its owner allows to. */
export function createTextEmbedding(
  database: Database,
  sealer: Sealer,
  providers: ReturnType<typeof createEmbeddingProviders>,
) {
  const findProvider = createFindProvider(database, sealer)
  const known = new QueryVectors()

  /** @returns the remaining budget; empty if nothing had to be embedded */
  async function embedMissing(
    request: TextRequest,
    foundProvider: FoundProvider,
    found: Map<string, Float32Array | undefined>,
    requester: Requester,
  ): Promise<readonly BudgetLeft[]> {
    const missing = [...found].flatMap(([text, vector]) => (vector === undefined ? [text] : []))
    if (missing.length === 0) return []
    const { provider } = foundProvider
    providers.check(provider)
    const charge = chargeOf(request, foundProvider)
    const left = await chargeBudget(database, request.project, charge, costOf(missing))
    const vectors = await providers.embed(provider, 'query', missing, requester)
    for (const [index, text] of missing.entries()) {
      const vector = vectors[index]
      if (vector === undefined) continue
      found.set(text, vector)
      known.set(askingOf(request), provider, text, vector)
    }
    return left
  }

  return {
    /**
     * Returns the vectors of query texts.
     * @throws 401 or 403 if the owner does not allow it, 429 if a budget is spent, and the
     * provider's errors
     */
    async queries(
      request: TextRequest,
      texts: readonly string[],
      requester: Requester,
    ): Promise<EmbeddedTexts> {
      requireAudience(request)
      const found = await findProvider.ofProject(request.project)
      const asking = askingOf(request)
      const vectors = new Map(texts.map((text) => [text, known.get(asking, found.provider, text)]))
      const left = await embedMissing(request, found, vectors, requester)
      return { vectors: texts.flatMap((text) => vectors.get(text) ?? []), left }
    },

    /**
     * Returns vectors to store. Owners who use their first key pay for their own projects, so no
     * budget applies. @throws as `queries` does
     */
    async documents(
      request: TextRequest,
      texts: readonly string[],
      requester: Requester,
    ): Promise<EmbeddedTexts> {
      const { project, relations, caller } = request
      const isOwn = relations.has('owner') || relations.has('admin')
      if (!isOwn) requireAudience(request)
      const foundProvider = await findProvider.ofProject(project)
      const { provider } = foundProvider
      providers.check(provider)
      const isFirst = namedKeyOf(caller) === undefined
      const isFree =
        relations.has('admin') || (isOwn && isFirst && foundProvider.lentInstanceId === undefined)
      const left = isFree
        ? []
        : await chargeBudget(database, project, chargeOf(request, foundProvider), costOf(texts))
      const vectors = await providers.embed(provider, 'document', texts, requester)
      return { vectors, left }
    },

    /** Embeds a word with an instance, for its owner. @returns the dimensions of the vector */
    test: async (instance: Instance, requester: Requester) =>
      providers.dimensionsOf(await findProvider.ofInstance(instance), requester),

    /** Called when an instance is changed or deleted. */
    forget: (instanceId: number) => known.forget(instanceId),
  }
}

function requireAudience({ project, caller, relations }: TextRequest): void {
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

function chargeOf(request: TextRequest, { provider, lentInstanceId }: FoundProvider): Charge {
  const { caller, relations } = request
  const isLent = lentInstanceId !== undefined
  // The owner's named key could otherwise create any number of projects, each with its own budget.
  const isBound = isLent || (relations.has('owner') && namedKeyOf(caller) !== undefined)
  return {
    caller: nameOfCaller(request),
    isMember: mayAskInWords('members', relations),
    bound: isBound ? { instanceId: provider.instanceId, isLent } : undefined,
  }
}

/** A user's named keys may be held by different people, so each has its own cache entries. */
const askingOf = (request: TextRequest) => ({
  who: JSON.stringify([nameOfCaller(request), namedKeyOf(request.caller)?.keyId]),
  projectId: request.project.projectId,
})

/**
 * Names a caller. Anonymous callers are told apart by a hash of their IPv4 address or IPv6 network.
 */
function nameOfCaller({ caller, address = '' }: TextRequest): string {
  if (caller.kind !== 'anonymous') return callerName(caller)
  return `_address:${hash('sha256', networkOf(address)).slice(0, 16)}`
}
