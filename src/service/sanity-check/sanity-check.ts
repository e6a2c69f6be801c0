import type { Database } from '../../db/database.ts'
import { projects } from '../../db/schema.ts'
import { conflict, unavailable } from '../../errors.ts'
import type { MetadataSchemes } from '../../metadata-schemes/metadata-schemes.ts'
import type { CollectionSize } from '../../search-indexes/policy.ts'
import type { IndexState, SearchIndexes } from '../../search-indexes/search-indexes.ts'
import { Findings, type ProjectIndex } from './findings.ts'
import { readLargest } from './largest.ts'
import { isRefusal, MetadataCheck, nobody } from './metadata-check.ts'
import { ofProjects } from './project-indexes.ts'
import {
  listCollections,
  readEmbeddings,
  readSchemes,
  recount,
  type StoredEmbedding,
} from './reading.ts'

type Sizes = Map<number, CollectionSize>

export type SanityCheck = ReturnType<typeof createSanityCheck>

/** Holds all that is stored against the rules by which it was stored. It changes nothing. */
export function createSanityCheck(
  database: Database,
  schemes: MetadataSchemes,
  searchIndexes: SearchIndexes,
) {
  let running = false

  async function check(signal: AbortSignal) {
    const findings = new Findings()
    findings.checked.projects = await database.short.db.$count(projects)
    const metadata = new MetadataCheck(database, schemes, findings)
    for (const projectId of await findInvalidSchemes(database, schemes, findings)) {
      metadata.skip(projectId)
    }
    const sizes: Sizes = new Map()
    for await (const chunk of readEmbeddings(database)) {
      if (signal.aborted) throw unavailable('The check was given up: nobody waits for its answer')
      for (const embedding of chunk) checkDimensions(embedding, findings)
      await metadata.check(chunk)
      findings.checked.embeddings += chunk.length
      addSizes(sizes, chunk)
    }
    await checkSizes(database, sizes, findings)
    const states = await searchIndexes.states()
    const indexes = await checkIndexes(database, findings, states)
    return { ...findings.report(indexes), largest: await readLargest(database.short.db) }
  }

  return {
    /** @throws 409 while another check runs in this process: it reads everything there is */
    async run(signal: AbortSignal) {
      if (running) throw conflict('A sanity check is running already; wait for it to end')
      running = true
      try {
        return await check(signal)
      } finally {
        running = false
      }
    },
  }
}

/** A scheme was valid when it was stored, but perhaps by the rules of an older version. */
async function findInvalidSchemes(
  database: Database,
  schemes: MetadataSchemes,
  findings: Findings,
): Promise<number[]> {
  const invalid: number[] = []
  for await (const { projectId, owner, handle, scheme } of readSchemes(database)) {
    findings.checked.schemes += 1
    try {
      await schemes.check(nobody, scheme)
    } catch (error) {
      if (!isRefusal(error)) throw error
      const project = { owner, project_handle: handle }
      findings.add({ type: 'metadata-scheme', project, detail: error.message })
      invalid.push(projectId)
    }
  }
  return invalid
}

function checkDimensions(embedding: StoredEmbedding, findings: Findings): void {
  const { owner, handle, textId, vectorDim, elements, dimensions } = embedding
  const where = { project: { owner, project_handle: handle }, text_id: textId }
  if (vectorDim !== elements) {
    const detail = `vector_dim is ${vectorDim}, but the vector has ${elements} elements`
    findings.add({ type: 'vector-dimensions', ...where, detail })
  }
  if (dimensions !== null && dimensions !== elements) {
    const detail = `the vector has ${elements} elements, but the project's LLM service instance ${dimensions} dimensions`
    findings.add({ type: 'instance-dimensions', ...where, detail })
  }
}

function addSizes(sizes: Sizes, chunk: readonly StoredEmbedding[]): void {
  for (const { collectionId, elements } of chunk) {
    const size = sizes.get(collectionId) ?? { collectionId, vectors: 0, dimensions: elements }
    sizes.set(collectionId, { ...size, vectors: size.vectors + 1 })
  }
}

/** Counts once more, as of one moment, where the numbers differ: embeddings come and go meanwhile. */
async function checkSizes(database: Database, sizes: Sizes, findings: Findings): Promise<void> {
  for await (const listed of listCollections(database)) {
    for (const { collectionId, owner, project_handle, ...recorded } of listed) {
      if (isSame(recorded, sizes.get(collectionId))) continue
      const now = await recount(database, collectionId)
      if (now === undefined || isSame(now.recorded, now)) continue
      const detail = `${inWords(now.recorded)} are recorded, but there are ${inWords(now)}`
      findings.add({ type: 'recorded-size', project: { owner, project_handle }, detail })
    }
  }
}

interface Size {
  readonly vectors: number
  readonly dimensions: number | null
}

const isSame = (recorded: Size, found: Size = { vectors: 0, dimensions: null }) =>
  recorded.vectors === found.vectors &&
  (found.vectors === 0 || recorded.dimensions === found.dimensions)

const inWords = ({ vectors, dimensions }: Size) => `${vectors} vectors of ${dimensions} dimensions`

async function checkIndexes(
  database: Database,
  findings: Findings,
  states: readonly IndexState[],
): Promise<ProjectIndex[]> {
  const indexes = await ofProjects(database, states)
  for (const { project, state } of indexes) {
    if (state === 'missing') {
      const detail = 'the project is large enough for a search index, but has none (yet)'
      findings.add({ type: 'index-missing', project, detail })
    }
    if (state === 'broken') {
      const detail = 'the build of the search index was broken off; it will be built again'
      findings.add({ type: 'index-broken', project, detail })
    }
  }
  return indexes
}
