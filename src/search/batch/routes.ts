import type { z } from '@hono/zod-openapi'
import { ServiceError } from '../../errors.ts'
import type { BodyFormat } from '../../http/body/format.ts'
import { jsonText } from '../../http/json-answer.ts'
import { createRouter, post } from '../../http/operation.ts'
import { projectParams } from '../../http/path-params.ts'
import { onProject } from '../../http/permission.ts'
import { problemFor } from '../../http/problem.ts'
import { body, json } from '../../http/schemas.ts'
import type { TextVectors } from '../../http/text-vectors.ts'
import { invalid } from '../../invalid.ts'
import { ProviderRefusal } from '../../providers/answers.ts'
import type { VectorElements } from '../../vectors/float32.ts'
import { beforeList, noteOf, printResults, type Section } from '../answer.ts'
import { searchOptions, shownBy } from '../options/schemas.ts'
import { searchedForBy } from '../options.ts'
import { SearchSchema } from '../schemas.ts'
import type { FoundRanking } from '../search.ts'
import type { createSearch } from '../similar.ts'
import { answerEach, isOfOneSearch } from './batch.ts'
import { Batch, BatchAnswer, exampleBatch, exampleBatchAnswer, maxSearches } from './schemas.ts'

/** @param read parses the bytes of a body before validation */
const searchBatch = (read: BodyFormat['parse']) =>
  post(onProject('project:read'), '/v1/similars/{user}/{project}/batch', {
    operationId: 'searchBatch',
    summary: 'Run many searches at once',
    description: `Up to ${maxSearches} searches, each with the same body as a search by vector. Each gets its own answer or error, in the same order. Needs no key when public_read is true.`,
    request: { params: projectParams, body: body(Batch, exampleBatch) },
    responses: { 200: json(BatchAnswer, 'An answer for each search', exampleBatchAnswer) },
    errors: {
      400: 'searches: must have at most 100 searches',
    },
    format: { size: 'bulk', parse: read, list: 'searches' },
  })

interface Dependencies {
  readonly search: ReturnType<typeof createSearch>
  readonly queryVectors: TextVectors
  readonly readBatch: BodyFormat['parse']
  /** Called with each search that was answered. */
  readonly searched: (found: FoundRanking) => void
}

export function batchRoutes(dependencies: Dependencies) {
  const { search, queryVectors, readBatch, searched } = dependencies
  const router = createRouter()
  // The schema of a batch refers to it by `$ref`.
  router.openAPIRegistry.register('Search', SearchSchema)
  router.openapi(searchBatch(readBatch), async (c) => {
    const { project } = c.get('granted')
    const searches = await validated(c.req.valid('json').searches)
    const words = await embedded(searches, (texts) => queryVectors(c, c.get('granted'), texts))
    let unread: ServiceError | undefined
    const answers = await answerEach(searches, async (given) => {
      if (given instanceof ServiceError) throw given
      const { text, text_id, like, unlike, ...values } = given
      const vector = text === undefined ? given.vector : vectorFor(words, text)
      const searchedFor = searchedForBy({ vector, text_id, like, unlike })
      // Each would wait as long as the one before.
      if (values.words !== undefined && unread !== undefined) throw unread
      return search.similarTo(project, searchedFor, searchOptions(values)).catch((error) => {
        if (error instanceof ServiceError && error.sparesOthers) unread = error
        throw error
      })
    })
    for (const answer of answers) if (!(answer instanceof ServiceError)) searched(answer)
    const head = { user_handle: project.owner, project_handle: project.handle }
    const text = await printResults<z.output<typeof BatchAnswer>>(
      sectionsOf(head, answers, searches),
      (wanted) => search.partsOf(project, wanted),
    )
    return jsonText(c, text, 'answers to searches')
  })
  return router
}

type Given = z.output<typeof SearchSchema> | ServiceError

type Embedded = ReadonlyMap<string, Float32Array | undefined> | ServiceError

/**
 * Requests the vectors of all query texts at once. A refusal is returned and not thrown, so that
 * the other searches are still answered.
 */
async function embedded(
  searches: readonly Given[],
  vectorsOf: (texts: readonly string[]) => Promise<readonly Float32Array[]>,
): Promise<Embedded> {
  const texts = searches.flatMap((given) =>
    given instanceof ServiceError || given.text === undefined ? [] : [given.text],
  )
  if (texts.length === 0) return new Map()
  return vectorsOf(texts).then(
    (vectors) => new Map(texts.map((text, index) => [text, vectors[index]])),
    (error) => {
      if (isOfOneSearch(error)) return named(error, searches)
      throw error
    },
  )
}

/** Adds which search has the words that the provider refuses, if that is known. */
function named(error: ServiceError, searches: readonly Given[]): ServiceError {
  if (!(error instanceof ProviderRefusal) || error.text === undefined) return error
  const isRefused = (given: Given) => !(given instanceof ServiceError) && given.text === error.text
  return new ServiceError(
    error.kind,
    `${error.message} (searches[${searches.findIndex(isRefused)}].text)`,
  )
}

function vectorFor(words: Embedded, text: string): VectorElements {
  if (words instanceof ServiceError) throw words
  return words.get(text) ?? []
}

async function validated(searches: AsyncIterable<unknown>): Promise<Given[]> {
  const given: Given[] = []
  for await (const value of searches) given.push(validatedOne(value, given.length))
  return given
}

function validatedOne(value: unknown, index: number): Given {
  const { data, error } = SearchSchema.safeParse(value)
  if (error === undefined) return data
  const place = ['searches', index]
  const issues = error.issues.map(({ code, path, message }) => ({
    code,
    path: [...place, ...path],
    message,
  }))
  return invalid({ issues }, 'json')
}

function sectionsOf(
  head: object,
  answers: readonly (FoundRanking | ServiceError)[],
  searches: readonly Given[],
): Section[] {
  const sections = answers.flatMap((answer, index): Section[] => {
    const separator = index === 0 ? '' : ','
    const search = searches[index]
    if (answer instanceof ServiceError || search === undefined || search instanceof ServiceError) {
      const error = answer instanceof ServiceError ? problemFor(answer) : undefined
      return [separator + JSON.stringify({ error })]
    }
    const { mode, hidden, totalSimilar, results } = answer
    const fields = { mode, hidden, note: noteOf(answer), total_similar: totalSimilar }
    const before = beforeList(fields, 'results')
    return [separator + before, { results, shown: shownBy(search) }, ']}']
  })
  return [beforeList(head, 'answers'), ...sections, ']}']
}
