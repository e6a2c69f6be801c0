import type { ProjectWithCollection } from '../../access/project.ts'
import { badRequest, ServiceError } from '../../errors.ts'
import { noteOf } from '../answer.ts'
import { inTurns, isOfOneSearch } from '../batch/batch.ts'
import { grouped, onPage } from '../groups.ts'
import type { SearchedFor, SearchOptions } from '../options.ts'
import { orderOfEqual, type Result } from '../ranking.ts'
import type { FoundRanking } from '../search.ts'
import type { createSearch } from '../similar.ts'
import { fuse, fusedDepth } from '../words/fuse.ts'
import type { WordStatistics } from '../words/thread.ts'

/** A search of several projects. */
export interface SeveralAsked {
  readonly projects: readonly ProjectWithCollection[]
  /** Of a stored embedding, other projects search for the vector. */
  readonly searchedForIn: (project: ProjectWithCollection) => SearchedFor
  readonly options: SearchOptions
  /** Whether results are grouped by their project. */
  readonly isByProject: boolean
}

export const nameOf = ({ owner, handle }: ProjectWithCollection) => `${owner}/${handle}`

/**
 * Finds in several projects what would be found if all their embeddings were in one: equal ones are
 * in the order of the projects, then of text_ids.
 * @returns the ranking, and those of the projects that it was made of
 * @throws the error of the first project that refuses, with its name
 */
export async function searchSeveral(search: ReturnType<typeof createSearch>, asked: SeveralAsked) {
  const { projects, options, searchedForIn } = asked
  const start = performance.now()
  const { words } = options
  const among =
    words && sumOf(await inEach(projects, (each) => search.statisticsOf(each, words.words)))
  const isFused = words !== undefined && projects.some((each) => searchedForIn(each) !== 'words')
  const ofEach = optionsOfEach(asked, isFused, among)
  const rankings = await inEach(projects, (project) =>
    search.similarTo(project, searchedForIn(project), ofEach),
  )
  const ranking = { ...merged(rankings, asked, isFused), milliseconds: performance.now() - start }
  return { ranking, rankings, note: notesOf(rankings, projects.map(nameOf)) }
}

/** @throws 400 that names the first project whose vectors cannot be compared with the others' */
export function requireOneModel(projects: readonly ProjectWithCollection[]): void {
  const modelOf = ({ instance }: ProjectWithCollection) =>
    instance === undefined ? 'no model' : `${instance.model} (${instance.dimensions} dimensions)`
  const [first, ...others] = projects
  for (const other of others) {
    if (first === undefined || modelOf(first) === modelOf(other)) continue
    throw badRequest(
      `projects: '${nameOf(other)}' has ${modelOf(other)}, but '${nameOf(first)}' has ${modelOf(first)}; only words can be searched for in both`,
    )
  }
}

const inEach = <Found>(
  projects: readonly ProjectWithCollection[],
  find: (project: ProjectWithCollection) => Promise<Found>,
): Promise<Found[]> =>
  inTurns(projects, (project) =>
    find(project).catch((error) => {
      if (!isOfOneSearch(error) || error.message.includes(nameOf(project))) throw error
      const { kind, message, retryAfter, sparesOthers } = error
      const options = { cause: error, retryAfter, sparesOthers }
      throw new ServiceError(kind, `${message} (${nameOf(project)})`, options)
    }),
  )

const sumOf = (all: readonly WordStatistics[]): WordStatistics =>
  all.reduce((sum, each) => ({
    documents: sum.documents + each.documents,
    length: sum.length + each.length,
    frequencies: sum.frequencies.map((count, at) => count + (each.frequencies[at] ?? 0)),
  }))

/** Of each project, all that may be on the page. */
function optionsOfEach(
  { options, isByProject }: SeveralAsked,
  isFused: boolean,
  among: WordStatistics | undefined,
): SearchOptions {
  const { offset, limit, grouping, words } = options
  const bestOfEach = isByProject ? (grouping?.size ?? 1) : offset + limit
  const most = isFused ? 2 * fusedDepth : bestOfEach
  const ofField = isByProject ? undefined : grouping
  return {
    ...options,
    offset: 0,
    limit: most,
    grouping: ofField && { ...ofField, size: isFused ? most : ofField.size },
    words: words && { ...words, among },
  }
}

function merged(
  rankings: readonly FoundRanking[],
  { projects, options, isByProject }: SeveralAsked,
  isFused: boolean,
): FoundRanking {
  const { grouping, offset, limit, words } = options
  const names = projects.map((project) => JSON.stringify(nameOf(project)))
  const all = rankings.flatMap(({ results }, project) => {
    const group = isByProject ? { group: names[project] ?? '' } : {}
    return results.map((result) => ({ ...result, project, ...group }))
  })
  const ranked =
    isFused && words !== undefined
      ? fuse(
          bestBy(all, ({ vectorRank, similarity }) => vectorRank && similarity),
          bestBy(all, ({ wordsScore }) => wordsScore),
          words.weights,
        )
      : inOrderOf(all, ({ score, similarity }) => score ?? similarity)
  const results =
    grouping === undefined
      ? ranked.slice(offset, offset + limit)
      : onPage(grouped(ranked, grouping.size), options)
  const isExact = rankings.every(({ mode }) => mode === 'exact')
  const places = rankings.reduce((sum, each) => sum + each.results.length + (each.hidden ?? NaN), 0)
  const onPageAtAll = Math.max(0, Math.min(places, offset + limit) - offset)
  return {
    ...rankings.reduce((one, other) => (other.milliseconds > one.milliseconds ? other : one)),
    results,
    mode: isExact ? 'exact' : 'approximate',
    hidden:
      grouping !== undefined || Number.isNaN(places) ? undefined : onPageAtAll - results.length,
    totalSimilar: options.totals
      ? rankings.reduce((sum, { totalSimilar = 0 }) => sum + totalSimilar, 0)
      : undefined,
  }
}

type RankedBy = (result: Result) => number | undefined

/** One of the rankings that are fused, without the places that its results had in their projects. */
const bestBy = (results: readonly Result[], by: RankedBy): Result[] =>
  inOrderOf(
    results.filter((result) => by(result) !== undefined),
    by,
  )
    .slice(0, fusedDepth)
    .map(({ vectorRank: _, wordsRank: __, ...result }) => result)

const inOrderOf = (results: readonly Result[], by: RankedBy): Result[] =>
  [...results].sort((one, other) => (by(other) ?? 0) - (by(one) ?? 0) || orderOfEqual(one, other))

/** So many projects are named in a note, which is a header. */
const maxNamed = 3

/** Each note once, with its projects. That a field is missing counts if no project has it. */
function notesOf(rankings: readonly FoundRanking[], names: readonly string[]): string | undefined {
  const isMissing = rankings.every(({ missingField }) => missingField !== undefined)
  const notes = new Map<string, string[]>()
  for (const [at, ranking] of rankings.entries()) {
    const note = noteOf(isMissing ? ranking : { ...ranking, missingField: undefined })
    if (note !== undefined) notes.set(note, [...(notes.get(note) ?? []), names[at] ?? ''])
  }
  const printed = [...notes].map(([note, of]) => {
    const more = of.length > maxNamed ? ` and ${of.length - maxNamed} more` : ''
    return `${note} (${of.slice(0, maxNamed).join(', ')}${more})`
  })
  return printed.length === 0 ? undefined : printed.join('; ')
}
