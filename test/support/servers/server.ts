import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { modelOf } from '../../shared/model.ts'
import { isQuickRun } from '../run/quick-run.ts'
import { secretsIn } from '../secrets/secrets.ts'
import { watch } from '../secrets/watch.ts'
import {
  bun,
  node,
  type Program,
  type Runtime,
  type Surroundings,
  semblance,
  usual,
} from './program.ts'
import {
  type AtEnd,
  databaseUrl,
  embeddedSite,
  postgresSite,
  preparedSite,
  type Site,
} from './site.ts'

/** A runtime and a database to try everything on. */
export interface Stage {
  readonly title: string
  readonly runtime: Runtime
  /** Where nothing has run yet. */
  newSite(atEnd?: AtEnd): Promise<Site>
  /** The same, or quicker: where the first start may have been already. */
  site(atEnd?: AtEnd): Promise<Site>
}

const embedded = { name: 'embedded', newSite: embeddedSite, site: preparedSite }
const external = { name: 'PostgreSQL', newSite: postgresSite, site: postgresSite }
const databases = databaseUrl === undefined ? [embedded] : [embedded, external]

/** For tests of what the runtimes do by themselves, or do differently. */
export const everyRuntime = [node, bun]
/** For the others, of which npm test tries one: Node, or Bun where that is alone. */
export const runtimes: readonly Runtime[] = isQuickRun ? [usual] : everyRuntime

const present = runtimes.filter(({ command }) => command !== undefined)
/** Where there are two databases and two runtimes, Node has the embedded one and Bun PostgreSQL. */
export const stages: readonly Stage[] = databases.flatMap(({ name, ...sites }, place) =>
  present
    .filter((_, index) => databases.length + present.length < 4 || index === place)
    .map((runtime) => ({ title: `${runtime.name}, ${name} database`, runtime, ...sites })),
)

export interface Server {
  readonly program: Program
  readonly url: string
  readonly key: string
}

export const serve = (runtime: Runtime, at: Surroundings, ...flags: string[]): Program =>
  semblance(runtime, ['serve', '--port', '0', ...flags], at)

export async function listening(program: Program, site: Site): Promise<Server> {
  const url = await program.said(/is listening on (http\S+) /)
  await program.said(/"Try: .*\n/)
  return { program, url, key: await site.adminKey() }
}

/** A server on a free port, killed after the test if it still runs. */
export function startServer(runtime: Runtime, site: Site, ...flags: string[]): Promise<Server> {
  const program = serve(runtime, site, ...flags)
  onTestFinished(() => kill(program))
  return listening(program, site)
}

/** How often a server has said that it makes the files of its database. */
export const created = ({ program }: Server): number =>
  program.log.filter(({ msg }) => /^Creating the embedded database in /.test(`${msg}`)).length

export async function kill(program: Program): Promise<void> {
  program.signal('SIGKILL')
  await program.exit
}

/** Ends a server as an operator does. */
export async function stop({ program }: Server): Promise<void> {
  program.signal('SIGTERM')
  expect(await program.exit).toBe(0)
}

export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** Calls the server over the network, as the administrator. */
export async function request(
  server: Server,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const { status, body: answer } = await exchange(server, method, path, body)
  return { status, body: answer }
}

/** The same, with all of the answer. */
export async function exchange({ url, key }: Server, method: string, path: string, body?: unknown) {
  const sent = body === undefined ? undefined : JSON.stringify(body)
  watch.secrets.add(key)
  for (const secret of secretsIn(sent?.slice(0, 10_000) ?? '')) watch.secrets.add(secret)
  // A connection that was closed while this process was busy is seen to be so, and not used again.
  await sleep(1)
  const response = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${key}` },
    ...(sent !== undefined && { body: sent }),
  })
  const text = await response.text()
  watch.answer(method, path, response, text)
  const answer: unknown = JSON.parse(text)
  return { status: response.status, headers: response.headers, text, body: answer }
}

/** Uploads to the project of `createProject`. */
export const upload = (server: Server, ...embeddings: object[]): Promise<Answer> =>
  request(server, 'POST', '/v1/embeddings/ann/texts', { embeddings })

/** A user `ann` with an instance `model` and a project `texts` of vectors of this length. */
export async function createProject(server: Server, dimensions: number): Promise<void> {
  const project = { project_handle: 'texts', instance_owner: 'ann', instance_handle: 'model' }
  const instance = modelOf(dimensions)
  const calls: [path: string, body: object][] = [
    ['/v1/users/ann', {}],
    ['/v1/llm-services/ann/model', instance],
    ['/v1/projects/ann/texts', project],
  ]
  for (const [path, body] of calls) {
    const { status } = await request(server, 'PUT', path, body)
    if (status !== 201) throw new Error(`PUT ${path} was answered with ${status}`)
  }
}
