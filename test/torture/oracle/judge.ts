import { isDeepStrictEqual } from 'node:util'
import type { Answer, Result } from './answers.ts'
import { byCodePoints } from './holds.ts'
import type { Document, Ranked } from './model.ts'
import { type Question, usual } from './question.ts'
import { toBase64 } from './vectors.ts'

/** Similarities closer than this are the same: the service computes them in float32. */
export const tolerance = 2e-6
/** An approximate page that could be full and lacks so much is no matter of recall. */
const mostLacking = 0.3
const fewLacking = 2

/** Places of a page that are filled for certain, and at most. */
export interface Room {
  readonly least: number
  readonly most: number
}

/** @param ranked all that may be results, most similar first */
export function roomOf({ options }: Question, ranked: readonly Ranked[]): Room {
  const { threshold = usual.threshold, limit = usual.limit, offset = usual.offset } = options
  const above = (least: number) => ranked.filter(({ similarity }) => similarity >= least).length
  const onPage = (count: number) => Math.min(limit, Math.max(0, count - offset))
  return { least: onPage(above(threshold)), most: onPage(above(threshold - tolerance)) }
}

/** What is wrong with an answer to a search without groups. */
export function flawsOf(
  question: Question,
  answer: Answer,
  ranked: readonly Ranked[],
  everHad: ReadonlySet<string>,
): string[] {
  const room = roomOf(question, ranked)
  return [
    ...flawsOfResults(answer.results, ranked, question, everHad),
    ...flawsOfOrder(answer.results),
    ...(answer.mode === 'exact'
      ? flawsOfExact(question, answer, ranked, room)
      : flawsOfApproximate(question, answer, room)),
    ...flawsOfHidden(question, answer, ranked, room),
    ...flawsOfTotal(question, answer, ranked),
  ]
}

/** Each by itself: it may be a result, and is as it is stored. */
export function flawsOfResults(
  results: readonly Result[],
  ranked: readonly Ranked[],
  { options }: Question,
  everHad: ReadonlySet<string>,
): string[] {
  const { threshold = usual.threshold, include = [] } = options
  const known = new Map(ranked.map((of) => [of.document.id, of]))
  const seen = new Set<string>()
  return results.flatMap((result) => {
    const { id, similarity } = result
    const of = known.get(id)
    if (seen.has(id)) return [`'${id}' twice`]
    seen.add(id)
    if (of === undefined) {
      return [
        `'${id}' is ${everHad.has(id) ? 'deleted, or left out,' : 'of no such project'} and a result`,
      ]
    }
    const right = Math.min(1, Math.max(0, of.similarity))
    if (Math.abs(similarity - right) > tolerance) {
      return [`the similarity of '${id}' is ${similarity}, not ${right}`]
    }
    if (of.similarity < threshold - tolerance) return [`'${id}' of ${right} is below the threshold`]
    const included = partsOf(of.document).map(
      ([part, value]) => [part, include.includes(part) ? value : undefined] as const,
    )
    return flawsOfParts(id, result, Object.fromEntries(included))
  })
}

/** What of a document answers may show. */
export const partsOf = ({ text, metadata, vector }: Document) =>
  Object.entries({ text, metadata, vector: toBase64(vector) })

/** Of what an answer shows of a document. */
export function flawsOfParts(id: string, shown: object, stored: object): string[] {
  const given = new Map(Object.entries(shown))
  return Object.entries(stored)
    .filter(([part, value]) => !isDeepStrictEqual(given.get(part), value))
    .map(([part]) => `the ${part} of '${id}' is not what is stored`)
}

export function flawsOfOrder(results: readonly Result[]): string[] {
  return results.slice(1).flatMap((result, index) => {
    const before = results[index]
    if (before === undefined || before.similarity > result.similarity) return []
    if (before.similarity < result.similarity) return [`'${result.id}' is behind a lesser one`]
    return byCodePoints(before.id, result.id) < 0 ? [] : [`'${result.id}' is behind its equal`]
  })
}

/** The page that comparing everything makes. */
function flawsOfExact(
  { options: { offset = usual.offset } }: Question,
  { results }: Answer,
  ranked: readonly Ranked[],
  { least, most }: Room,
): string[] {
  if (results.length < least || results.length > most) {
    return [`${results.length} results, not ${least === most ? least : `${least} to ${most}`}`]
  }
  return results.flatMap(({ id, similarity }, index) => {
    const right = ranked[offset + index]
    if (right === undefined || Math.abs(right.similarity - similarity) <= tolerance) return []
    // Of what is negative only by noise.
    if (similarity === 0 && right.similarity > -tolerance && right.similarity < 0) return []
    const place = `place ${offset + index}`
    return [
      `${place} has '${id}' (${similarity}), not '${right.document.id}' (${right.similarity})`,
    ]
  })
}

function flawsOfApproximate(
  { options: { limit = usual.limit } }: Question,
  { results }: Answer,
  { least, most }: Room,
): string[] {
  if (results.length > most) return [`${results.length} results, at most ${most} were right`]
  const lacking = least - results.length
  const isShort = least === limit && lacking > fewLacking && lacking > mostLacking * least
  return isShort ? [`${results.length} results of ${least}`] : []
}

/** Of the places of the page, those for which there is only what is below the threshold. */
function flawsOfHidden(
  { options }: Question,
  { mode, hidden, results }: Answer,
  ranked: readonly Ranked[],
  { least, most }: Room,
): string[] {
  const { limit = usual.limit, offset = usual.offset, filter, group_by } = options
  if (group_by !== undefined) return []
  const isFiltered = filter !== undefined || options.metadata_path !== undefined
  if (hidden === undefined) {
    return mode === 'exact' && !isFiltered ? ['it is not said how many are hidden'] : []
  }
  const places = Math.min(limit, Math.max(0, ranked.length - offset))
  if (mode === 'exact') {
    const isRight = hidden >= places - most && hidden <= places - least
    return isRight ? [] : [`${hidden} are hidden, not ${places - least}`]
  }
  return hidden + results.length > places
    ? [`${hidden} hidden and ${results.length} found are more than the ${places} that there are`]
    : []
}

export function flawsOfTotal(
  { options }: Question,
  { totalSimilar }: Answer,
  ranked: readonly Ranked[],
): string[] {
  if (options.totals === undefined) {
    return totalSimilar === undefined ? [] : ['nobody asked for the total']
  }
  const whole = {
    textId: undefined,
    vector: new Float32Array(),
    options: { ...options, limit: 1e9, offset: 0 },
  }
  const { least, most } = roomOf(whole, ranked)
  const isRight = totalSimilar !== undefined && totalSimilar >= least && totalSimilar <= most
  return isRight ? [] : [`the total is ${totalSimilar}, not ${least}`]
}
