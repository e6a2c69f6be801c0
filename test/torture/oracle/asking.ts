import { isDeepStrictEqual } from 'node:util'
import type { HttpClient } from '../http-client.ts'
import { type Answer, BatchAnswer, SearchAnswer } from './answers.ts'
import type { Scene } from './changes.ts'
import { flawsOf, roomOf } from './judge.ts'
import { flawsOfGroups } from './judge-groups.ts'
import type { Model } from './model.ts'
import { bodyOf, pathOf, type Question, queryOf, soughtBy } from './question.ts'
import { type Aimed, newQuestion, probe } from './questions.ts'
import type { Recall } from './recall.ts'

/** What asks about a project, and holds the answer against what is stored. */
export type Inquiry = (scene: Scene, model: Model, recall: Recall) => Promise<void>

const pageSizes = [37, 100, 200]
const mostPages = 40
const batchSizes = [10, 30, 60]

const strategies = /\b(memory|memory-exact|matches|index|database-exact);/

async function answerTo(
  { target, dice }: Scene,
  model: Model,
  question: Question,
  server?: HttpClient,
) {
  const [where] = [dice.of(['url', 'body', 'parts'])]
  const isGet = where === 'url' && question.textId !== undefined
  const [method, path, body] = isGet
    ? ['GET', pathOf(model, question) + queryOf(question), undefined]
    : where === 'body'
      ? ['POST', model.path('similars'), bodyOf(question)]
      : ['POST', model.path('similars') + queryOf(question), bodyOf({ ...question, options: {} })]
  const read = await target.read(SearchAnswer, method, path, { body, server })
  if (read === undefined) return undefined
  const { value, headers } = read
  const hidden = headers['x-search-hidden']
  const answer: Answer = {
    results: value.results,
    totalSimilar: value.total_similar,
    mode: `${headers['x-search-mode']}`,
    strategy: strategies.exec(`${headers['server-timing']}`)?.[1],
    hidden: hidden === undefined ? undefined : Number(hidden),
  }
  return { answer, method, path, body }
}

/** @returns what is wrong */
function judged(model: Model, question: Aimed, answer: Answer, recall: Recall): string[] {
  const ranked = model.rank(soughtBy(question))
  if (question.options.group_by !== undefined) {
    return flawsOfGroups(question, answer, ranked, model.everHad)
  }
  recall.note(model, question.near, question, answer, ranked)
  return flawsOf(question, answer, ranked, model.everHad).map((flaw) => `${flaw} [${answer.mode}]`)
}

const searchOnce =
  (grouped: boolean): Inquiry =>
  async (scene, model, recall) => {
    const question = newQuestion(scene.dice, model, grouped)
    if (question === undefined) return
    const asked = await answerTo(scene, model, question)
    if (asked === undefined) return
    scene.target.tally.answered(asked.answer.mode)
    const { method, path, body } = asked
    scene.target.complain(method, path, body, judged(model, question, asked.answer, recall))
  }

export const search = searchOnce(false)
export const searchGroups = searchOnce(true)

async function askBatch({ target }: Scene, model: Model, all: readonly Aimed[], recall: Recall) {
  const path = `${model.path('similars')}/batch`
  const read = await target.read(BatchAnswer, 'POST', path, { body: { searches: all.map(bodyOf) } })
  if (read === undefined) return
  const { answers } = read.value
  if (answers.length !== all.length)
    target.complain('POST', path, undefined, ['not an answer each'])
  for (const [index, question] of all.entries()) {
    const given = answers[index]
    if (given === undefined) continue
    target.tally.answered(given.mode)
    const answer = { ...given, hidden: given.hidden, totalSimilar: given.total_similar }
    target.complain('POST', path, bodyOf(question), judged(model, question, answer, recall))
  }
}

export const searchBatch: Inquiry = (scene, model, recall) => {
  const all = Array.from({ length: scene.dice.whole(1, 12) }, () => newQuestion(scene.dice, model))
  const asked = all.filter((question) => question !== undefined)
  return asked.length === 0 ? Promise.resolve() : askBatch(scene, model, asked, recall)
}

/** Of one kind. */
export const measure: Inquiry = async (scene, model, recall) => {
  const { dice } = scene
  const documents = model.ofKind(dice.of(model.kinds))
  const some = dice.some(documents, dice.of(batchSizes))
  if (some.length === 0) return
  await askBatch(
    scene,
    model,
    some.map((document) => probe(dice, model, document)),
    recall,
  )
}

/** All pages of one ranking. */
export const readPages: Inquiry = async (scene, model) => {
  const { dice, target } = scene
  const limit = dice.of(pageSizes)
  const asked = newQuestion(dice, model)
  if (asked === undefined) return
  const { filter, metadata_path, metadata_value, exact } = asked.options
  const options = {
    limit,
    threshold: dice.of([0, 0, 0.4]),
    filter,
    metadata_path,
    metadata_value,
    exact,
  }
  const question = { ...asked, options }
  const path = `${model.path('similars')} (pages)`
  const server = dice.of([undefined, ...target.servers])
  // An index may be built or measured between two pages; not each time.
  for (let attempt = 0; ; attempt += 1) {
    const flaws = await flawsOfPages(scene, model, question, limit, server)
    if (flaws === undefined || flaws.length === 0) return
    target.tally.answered('pages read again')
    if (attempt === 2) return target.complain('POST', path, bodyOf(question), flaws)
  }
}

async function flawsOfPages(
  scene: Scene,
  model: Model,
  question: Aimed,
  limit: number,
  server: HttpClient | undefined,
) {
  const ranked = model.rank(soughtBy(question))
  const modes = new Set<string>()
  const ways = new Set<string | undefined>()
  const union: string[] = []
  for (let page = 0; page < mostPages; page += 1) {
    const options = { ...question.options, offset: page * limit }
    const asked = await answerTo(scene, model, { ...question, options }, server)
    if (asked === undefined) return undefined
    const { answer, method, path, body } = asked
    const flaws = flawsOf({ ...question, options }, answer, ranked, model.everHad)
    scene.target.complain(
      method,
      path,
      body,
      flaws.map((flaw) => `${flaw} [${answer.mode}]`),
    )
    modes.add(answer.mode)
    ways.add(answer.strategy)
    union.push(...answer.results.map(({ id }) => id))
    if (answer.results.length < limit) break
  }
  const repeated = union.length - new Set(union).size
  const whole = {
    ...question,
    options: { ...question.options, limit: mostPages * limit, offset: 0 },
  }
  const { least } = roomOf(whole, ranked)
  const lacking = least - union.length
  const isExact = isDeepStrictEqual([...modes], ['exact'])
  // Each server has its own vectors in memory, and approximate rankings differ.
  const isOneRanking = isExact || (server !== undefined && ways.size === 1)
  const isGap = lacking > 0 && (isExact || lacking > least / 20 + 2)
  const found = `${[...modes]} pages, found by ${[...ways]}`
  return [
    ...(repeated > 0 && isOneRanking ? [`${repeated} repeated in ${found}`] : []),
    ...(isGap ? [`${lacking} of ${least} are missing in ${found}`] : []),
  ]
}
