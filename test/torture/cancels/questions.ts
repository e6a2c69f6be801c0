import { isDeepStrictEqual } from 'node:util'
import { type HttpClient, type Outcome, type Request, succeeded } from '../http-client.ts'
import { adminKey } from '../service.ts'
import { textOf } from '../texts.ts'
import { friend, owners, type World } from '../world.ts'

/** A request that always has the same answer, since nothing changes what it reads. */
export interface Question {
  readonly path: string
  readonly request: Request
  /** Undefined until it is `learn`ed. */
  readonly answer: unknown
}

/** What can be wrong with an answer. */
export const flaws = ['refused', 'holes', 'something else', 'failed'] as const
export type Flaw = (typeof flaws)[number]

/** Asks while nothing is broken. @throws when an answer is not as it should be even then */
export async function learn(
  client: HttpClient,
  asked: Omit<Question, 'answer'>[],
): Promise<Question[]> {
  const questions: Question[] = []
  for (const { path, request } of asked) {
    const outcome = await ask(client, path, request)
    const seen = `${path}: ${outcome.status} ${JSON.stringify(outcome.body)}`.slice(0, 300)
    if (!succeeded(outcome) || hasHoles(outcome.body)) throw new Error(`before any fault: ${seen}`)
    questions.push({ path, request, answer: outcome.body })
  }
  return questions
}

/** A search when there is a body. */
export const ask = (client: HttpClient, path: string, request: Request): Promise<Outcome> =>
  client.call(request.body === undefined ? 'GET' : 'POST', path, request)

export function flawOf({ status, body, reason }: Outcome, { answer }: Question): Flaw | undefined {
  // A list is put together from the texts of its rows: one that is missing leaves two commas.
  if (reason === 'not JSON') return 'holes'
  if (status >= 400 && status < 500) return 'refused'
  if (status !== 200) return 'failed'
  if (isDeepStrictEqual(body, answer)) return undefined
  return hasHoles(body) ? 'holes' : 'something else'
}

/** None of the answers that are asked for has a null. */
const hasHoles = (body: unknown) => JSON.stringify(body).includes('null')

/** Requests of many kinds over what `world` holds: own users, lists, a public project, searches. */
export function questionsAbout({ keys, plots, probed }: World): Omit<Question, 'answer'>[] {
  const asked: Omit<Question, 'answer'>[] = []
  const add = (path: string, key?: string, body?: object) =>
    asked.push({
      path,
      request: { ...(key !== undefined && { key }), ...(body && { body: JSON.stringify(body) }) },
    })
  for (const user of [...owners, friend]) {
    add(`/v1/users/${user}`, keys.get(user))
    add(`/v1/llm-services/${user}`, keys.get(user))
    add(`/v1/projects/${user}?include_shared=true`, keys.get(user))
  }
  for (const path of ['users', 'api-standards', 'llm-definitions/_system']) {
    add(`/v1/${path}`, adminKey)
  }
  for (const holding of [probed, ...plots.map((plot) => plot.holding)]) {
    const key = holding === probed ? undefined : keys.get(holding.owner)
    const [embeddings, similars] = [holding.path('embeddings'), holding.path('similars')]
    add(holding.path('projects'), key)
    add(`${holding.path('projects')}/shared-with`, keys.get(holding.owner))
    for (const offset of [0, 10, 25]) add(`${embeddings}?limit=10&offset=${offset}`, key)
    for (const textId of [...holding.stored].slice(0, 8)) {
      const name = encodeURIComponent(textId)
      add(`${embeddings}/${name}`, key)
      add(`${similars}/${name}?threshold=0&count=5`, key)
      const { vector } = textOf(textId, holding.dimensions)
      add(`${similars}?threshold=0`, key, { vector })
    }
  }
  return asked
}
