import { setTimeout as sleep } from 'node:timers/promises'
import { HttpClient, type Outcome, succeeded } from '../http-client.ts'
import { versionOf } from '../judgements.ts'
import type { Tally } from '../tally.ts'
import { uploadBody } from '../texts.ts'
import { Page } from '../verify.ts'
import { instanceOf, keyIn } from '../world.ts'
import { anything, type Expected, type History } from './history.ts'
import type { Change } from './log.ts'

const mostTexts = 120
const pageSize = 200

const userOf = (dimensions: number) => `u${dimensions}`
const projectPath = (project: string) => `${userOf(dimensionsOf(project))}/${project}`
/** A project is named by its dimensions and a number. */
const dimensionsOf = (project: string) => Number(project.slice(1).split('-')[0])

/** Changes a user, projects and texts of its own with one request at a time. */
export class Client {
  readonly #http: HttpClient
  readonly #history: History
  readonly #random: () => number
  readonly #dimensions: number
  readonly #adminKey: string
  /** Versions of the texts by project. */
  readonly #texts = new Map<string, Map<string, number>>()
  #count = 0

  constructor(
    http: HttpClient,
    adminKey: string,
    history: History,
    dimensions: number,
    random: () => number,
  ) {
    this.#http = http
    this.#adminKey = adminKey
    this.#history = history
    this.#dimensions = dimensions
    this.#random = random
  }

  async run(goesOn: () => boolean): Promise<void> {
    if (this.#count === 0) await this.#begin()
    while (goesOn()) {
      await this.#step()
      if (this.#random() < 0.1) await sleep(this.#random() * 100)
    }
  }

  close(): void {
    this.#http.close()
  }

  async #begin(): Promise<void> {
    const user = userOf(this.#dimensions)
    await this.#send('PUT', `users/${user}`, {}, { [`user/${user}`]: anything })
    await this.#send('PUT', `llm-services/${user}/i`, instanceOf(this.#dimensions), {})
    await this.#newProject()
  }

  #step(): Promise<unknown> {
    const dice = this.#random()
    const projects = [...this.#texts.keys()]
    const project = projects[Math.floor(this.#random() * projects.length)] ?? ''
    const texts = this.#texts.get(project) ?? new Map<string, number>()
    const some = [...texts.keys()].filter(() => this.#random() < 0.1)
    if (dice < 0.02) return this.#newProject()
    if (dice < 0.06) return this.#rotate()
    if (dice < 0.1) return this.#describe(project)
    if (texts.size > mostTexts || dice < 0.11) return this.#clear(project, texts)
    if (dice < 0.25) return this.#delete(project, texts, [...texts.keys()][0])
    if (dice < 0.45) return this.#upload(project, texts, [...some, ...this.#newTexts(2)])
    if (dice < 0.6) return this.#upload(project, texts, some.slice(0, 1))
    return this.#upload(project, texts, this.#newTexts(this.#random() < 0.4 ? 1 : 30))
  }

  async #newProject(): Promise<void> {
    this.#count += 1
    const project = `p${this.#dimensions}-${this.#count}`
    const [user, description] = [userOf(this.#dimensions), `${this.#random()}`]
    const body = { instance_owner: user, instance_handle: 'i', description }
    const path = `projects/${projectPath(project)}`
    await this.#send('PUT', path, body, { [`project/${project}`]: description })
    this.#texts.set(project, new Map())
  }

  #rotate(): Promise<void> {
    const user = userOf(this.#dimensions)
    return this.#send('POST', `users/${user}/rotate-key`, {}, { [`user/${user}`]: anything })
  }

  #describe(project: string): Promise<void> {
    const description = `${this.#random()}`
    const change = { [`project/${project}`]: description }
    return this.#send('PATCH', `projects/${projectPath(project)}`, { description }, change)
  }

  #newTexts(most: number): string[] {
    this.#count += 1
    const length = 1 + Math.floor(this.#random() * most)
    return Array.from({ length }, (_, index) => `t${this.#count}.${index}`)
  }

  async #upload(project: string, texts: Map<string, number>, ids: readonly string[]) {
    if (ids.length === 0) return
    const next = (id: string) => (texts.get(id) ?? -1) + 1
    const body = uploadBody(ids, 'i', this.#dimensions, next)
    const replaces = ids.some((id) => texts.has(id)) ? '?on_conflict=replace' : ''
    const versions = ids.map((id) => [`text/${project}/${id}`, `${next(id)}`] as const)
    const path = `embeddings/${projectPath(project)}${replaces}`
    await this.#send('POST', path, body, Object.fromEntries(versions))
    for (const id of ids) texts.set(id, next(id))
  }

  async #delete(project: string, texts: Map<string, number>, id: string | undefined) {
    if (id === undefined) return
    const path = `embeddings/${projectPath(project)}/${id}`
    await this.#send('DELETE', path, undefined, { [`text/${project}/${id}`]: null })
    texts.delete(id)
  }

  async #clear(project: string, texts: Map<string, number>): Promise<void> {
    const gone = [...texts.keys()].map((id) => [`text/${project}/${id}`, null] as const)
    const path = `embeddings/${projectPath(project)}`
    await this.#send('DELETE', path, undefined, Object.fromEntries(gone))
    texts.clear()
  }

  async #send(method: string, path: string, body: object | string | undefined, change: Change) {
    const id = this.#history.sent(change)
    const text = typeof body === 'object' ? JSON.stringify(body) : body
    const outcome = await this.#http.call(method, `/v1/${path}`, {
      key: this.#adminKey,
      body: text,
    })
    if (!succeeded(outcome)) throw new Error(`${method} ${path}: ${said(outcome)}`)
    const isKey = Object.values(change).includes(anything)
    const known = isKey ? Object.keys(change).map((name) => [name, keyIn(outcome.body)]) : []
    this.#history.acknowledged(id, isKey ? Object.fromEntries(known) : change)
  }
}

const said = ({ status, body, reason }: Outcome) => `${status} ${reason} ${JSON.stringify(body)}`

/** Reads all back that may be there. @throws when a request fails that has to be answered */
export async function observe(
  url: string,
  adminKey: string,
  expected: Expected,
  tally: Tally,
): Promise<Map<string, string>> {
  const http = new HttpClient(url, tally)
  const read = async (path: string, accepted: readonly number[] = [200], method = 'GET') => {
    const body = method === 'GET' ? undefined : '{}'
    const outcome = await http.call(method, `/v1/${path}`, { key: adminKey, body })
    if (accepted.includes(outcome.status)) return outcome
    throw new Error(`${method} ${path}: ${said(outcome)}`)
  }
  const observed = new Map<string, string>()
  for (const name of expected.names) {
    const [kind, handle = ''] = name.split('/')
    if (kind === 'user' && (await read(`users/${handle}`, [200, 404])).status === 200) {
      // Its sealed copy, and by the key itself the digest.
      const key = keyIn((await read(`users/${handle}`, [200], 'PUT')).body)
      const { status } = await http.call('GET', `/v1/users/${handle}`, { key })
      observed.set(name, status === 200 ? key : `a key that is answered ${status}`)
    }
    if (kind !== 'project') continue
    const { status, body } = await read(`projects/${projectPath(handle)}`, [200, 404])
    if (status === 404) continue
    observed.set(name, `${Object(body).description}`)
    const path = `embeddings/${projectPath(handle)}?limit=${pageSize}`
    for (let offset = 0, total = 1; offset < total; offset += pageSize) {
      const page = Page.parse((await read(`${path}&offset=${offset}`)).body)
      total = page.total_count
      for (const text of page.embeddings) {
        const fact = `text/${handle}/${text.text_id}`
        const most = Number(expected.facts.get(fact) ?? 0) + 1
        const possible = Array.from({ length: most + 1 }, (_, version) => version)
        observed.set(fact, `${versionOf(text, possible, dimensionsOf(handle)) ?? 'a mixture'}`)
      }
    }
  }
  const { body } = await read('admin/sanity-check')
  if (Object(body).status !== 'PASSED') observed.set('sanity check', JSON.stringify(body))
  http.close()
  return observed
}
