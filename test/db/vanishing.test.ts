import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { explainViolation } from '../../src/db/errors.ts'
import { type Answer, asAdmin } from '../support/client.ts'
import { service } from '../support/data/services.ts'
import {
  embedding,
  newProject,
  newUser,
  type Project,
  type User,
  unique,
} from '../support/factories.ts'
import { postgresOfRun } from '../support/servers/postgres-place.ts'

/** What a request names, each thing with a handle that no other test has. */
interface World {
  readonly project: Project
  readonly friend: User
  readonly standard: string
}

type InWorld<T> = (world: World) => T
type Request = readonly [method: string, path: string, body?: object]

interface Case {
  /** SQL of another transaction, which has not committed when the request comes. */
  readonly meanwhile: InWorld<string>
  readonly request: InWorld<Request>
  readonly status: number
  readonly detail: InWorld<string>
}

const ownedBy = ({ handle }: User) => `(select user_id from users where user_handle = '${handle}')`
const dropUser = ({ handle }: User) => `delete from users where user_handle = '${handle}'`
const ofOwner =
  (change: string): InWorld<string> =>
  ({ project }) =>
    `${change} where owner_id = ${ownedBy(project.owner)}`

const put =
  (what: string, body: InWorld<object>): InWorld<Request> =>
  (world) => ['PUT', `/v1/${what}/${world.project.owner.handle}/new`, body(world)]
const post =
  (path: InWorld<string>, body: InWorld<object>): InWorld<Request> =>
  (world) => ['POST', path(world), body(world)]
const pathOf: InWorld<string> = ({ project }) => project.path()
const instancePath: InWorld<string> = ({ project }) =>
  `/v1/llm-services/${project.owner.handle}/model`
const share = (path: InWorld<string>) =>
  post(
    (world) => `${path(world)}/share`,
    ({ friend }) => ({ share_with_handle: friend.handle, role: 'reader' }),
  )
const transfer = post(
  (world) => `${pathOf(world)}/transfer-ownership`,
  ({ friend }) => ({ new_owner_handle: friend.handle }),
)
const withStandard = ({ standard }: World) => ({ ...service, api_standard: standard })
const withInstance = ({ project }: World) => ({
  instance_owner: project.owner.handle,
  instance_handle: 'model',
})

const noStandard = {
  meanwhile: ({ standard }: World) =>
    `delete from api_standards where api_standard_handle = '${standard}'`,
  status: 400,
  detail: ({ standard }: World) => `api_standard: there is no API standard '${standard}'`,
}
const noUser = {
  status: 404,
  detail: () => 'User not found: it was deleted by another request',
}
const noOwner = { ...noUser, meanwhile: ({ project }: World) => dropUser(project.owner) }
const noFriend = { ...noUser, meanwhile: ({ friend }: World) => dropUser(friend) }
const dropInstance = { meanwhile: ofOwner('delete from instances') }
const notFound = {
  status: 404,
  detail: ({ project }: World) => `Project '${project.owner.handle}/${project.handle}' not found`,
}
const noProject = { ...notFound, meanwhile: ofOwner('delete from projects') }

const cases: Record<string, Case> = {
  'the standard of a new definition': {
    ...noStandard,
    request: put('llm-definitions', withStandard),
  },
  'the standard of a new instance': { ...noStandard, request: put('llm-services', withStandard) },
  'the standard of a changed instance': {
    ...noStandard,
    request: (world) => ['PATCH', instancePath(world), { api_standard: world.standard }],
  },
  'the definition of a new instance': {
    meanwhile: ofOwner('delete from definitions'),
    request: put('llm-services', ({ project }) => ({
      definition_owner: project.owner.handle,
      definition_handle: 'template',
    })),
    status: 400,
    detail: () =>
      'definition_handle: LLM service definition not found: it was deleted by another request',
  },
  'the owner of a new definition': { ...noOwner, request: put('llm-definitions', () => service) },
  'the owner of a new instance': { ...noOwner, request: put('llm-services', () => service) },
  'the one with whom a project is shared': { ...noFriend, request: share(pathOf) },
  'the one with whom a new project is shared': {
    ...noFriend,
    request: put('projects', (world) => ({
      ...withInstance(world),
      shared_with: [{ user_handle: world.friend.handle, role: 'reader' }],
    })),
  },
  'the one with whom an instance is shared': { ...noFriend, request: share(instancePath) },
  'an instance that is shared': {
    ...dropInstance,
    request: share(instancePath),
    status: 404,
    detail: () => 'LLM service instance not found: it was deleted by another request',
  },
  'an instance that a project takes': {
    ...dropInstance,
    request: put('projects', withInstance),
    status: 400,
    detail: ({ project }) => `LLM service instance '${project.owner.handle}/model' not found`,
  },
  'the new owner of a project': { ...noFriend, request: transfer },
  'the free handle of a project that is transferred': {
    meanwhile: ({ project, friend }) =>
      `with fresh as (insert into collections default values returning collection_id)
       insert into projects (owner_id, project_handle, collection_id)
       select ${ownedBy(friend)}, '${project.handle}', collection_id from fresh`,
    request: transfer,
    status: 409,
    detail: ({ project }) => `Project '${project.handle}' already exists`,
  },
  'a project that is shared': { ...noProject, request: share(pathOf) },
  'a project that is uploaded to': {
    ...noProject,
    request: post(
      ({ project }) => project.path('embeddings'),
      () => ({ embeddings: [embedding('a', [1, 0, 0])] }),
    ),
  },
}

/** What the owner may do to a project, while it is given to another user. */
const ownersWork: Record<string, Case['request']> = {
  'is deleted': ({ project }) => ['DELETE', project.path()],
  'is changed': ({ project }) => ['PATCH', project.path(), { public_read: true }],
  'is no longer shared': ({ project, friend }) => [
    'DELETE',
    `${project.path()}/share/${friend.handle}`,
  ],
  'is emptied': ({ project }) => ['DELETE', project.path('embeddings')],
  'loses an embedding': ({ project }) => ['DELETE', `${project.path('embeddings')}/a`],
  'loses many': post(
    ({ project }) => `${project.path('embeddings')}/delete`,
    () => ({ text_ids: ['a'] }),
  ),
}
for (const [work, request] of Object.entries(ownersWork)) {
  cases[`a project that ${work}, and has a new owner`] = {
    ...notFound,
    meanwhile: (world) => ofOwner(`update projects set owner_id = ${ownedBy(world.friend)}`)(world),
    request,
  }
}

async function newWorld(): Promise<World> {
  const standard = unique('standard')
  const body = { description: 'No key', key_method: 'none', key_field: '' }
  await asAdmin('PUT', `/v1/api-standards/${standard}`, { body })
  const [project, friend] = [await newProject(), await newUser('friend')]
  await asAdmin('PUT', `/v1/llm-definitions/${project.owner.handle}/template`, { body: service })
  return { project, friend, standard }
}

const place = postgresOfRun()

describe.skipIf(place === undefined)('what is gone before a request has done its work', () => {
  let other: postgres.Sql
  beforeAll(() => {
    other = postgres({ ...place, max: 2, onnotice: () => {} })
  })
  afterAll(() => other.end())

  /** Resolves when a session waits for the transaction of `pid`. */
  async function isWaitedFor(pid: number): Promise<void> {
    for (;;) {
      const [row] = await other`
        select count(*)::integer as waiting from pg_stat_activity
        where ${pid} = any (pg_blocking_pids(pid))`
      if (row?.['waiting'] > 0) return
    }
  }

  it.each(Object.entries(cases))('is named as if it had never been: %s', async (_, tried) => {
    const world = await newWorld()
    let sent: Promise<Answer> | undefined
    await other.begin(async (tx) => {
      await tx.unsafe(tried.meanwhile(world))
      const [row] = await tx`select pg_backend_pid() as pid`
      const [method, path, body] = tried.request(world)
      sent = asAdmin(method, path, body && { body })
      await isWaitedFor(row?.['pid'])
    })
    const answer = await sent
    expect(answer?.body).toMatchObject({ status: tried.status, detail: tried.detail(world) })
  })

  it('is said for each constraint that there is', async () => {
    const rows = await other`
      select conname as name from pg_constraint
      where contype = 'f' and connamespace = 'public'::regnamespace`
    const foreignKeys = rows.map(({ name }) => name)
    for (const constraint of foreignKeys) {
      const violation = { code: '23503', constraint, detail: '' }
      expect(explainViolation(violation).message).not.toContain('try again')
    }
    expect(foreignKeys.length).toBeGreaterThan(0)
  })
})
