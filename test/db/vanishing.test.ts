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

interface Case {
  /** SQL of another transaction, which has not committed when the request comes. */
  readonly meanwhile: (world: World) => string
  readonly request: (world: World) => readonly [method: string, path: string, body?: object]
  readonly status: number
  readonly detail: (world: World) => string
}

const dropStandard = ({ standard }: World) =>
  `delete from api_standards where api_standard_handle = '${standard}'`
const dropUser = ({ handle }: User) => `delete from users where user_handle = '${handle}'`
const ownedBy = ({ handle }: User) => `(select user_id from users where user_handle = '${handle}')`
const noStandard = ({ standard }: World) => `api_standard: there is no API standard '${standard}'`
const noUser = () => 'User not found: it was deleted by another request'

const put = (what: string, body: (world: World) => object): Case['request'] => {
  return (world) => ['PUT', `/v1/${what}/${world.project.owner.handle}/new`, body(world)]
}
const withStandard = ({ standard }: World) => ({ ...service, api_standard: standard })
const toFriend = ({ friend }: World) => ({ share_with_handle: friend.handle, role: 'reader' })

const cases: Record<string, Case> = {
  'the standard of a new definition': {
    meanwhile: dropStandard,
    request: put('llm-definitions', withStandard),
    status: 400,
    detail: noStandard,
  },
  'the standard of a new instance': {
    meanwhile: dropStandard,
    request: put('llm-services', withStandard),
    status: 400,
    detail: noStandard,
  },
  'the standard of a changed instance': {
    meanwhile: dropStandard,
    request: (world) => [
      'PATCH',
      `/v1/llm-services/${world.project.owner.handle}/model`,
      { api_standard: world.standard },
    ],
    status: 400,
    detail: noStandard,
  },
  'the definition of a new instance': {
    meanwhile: ({ project }) =>
      `delete from definitions where owner_id = ${ownedBy(project.owner)}`,
    request: put('llm-services', ({ project }) => ({
      definition_owner: project.owner.handle,
      definition_handle: 'template',
    })),
    status: 400,
    detail: () =>
      'definition_handle: LLM service definition not found: it was deleted by another request',
  },
  'the owner of a new definition': {
    meanwhile: ({ project }) => dropUser(project.owner),
    request: put('llm-definitions', () => service),
    status: 404,
    detail: noUser,
  },
  'the owner of a new instance': {
    meanwhile: ({ project }) => dropUser(project.owner),
    request: put('llm-services', () => service),
    status: 404,
    detail: noUser,
  },
  'the one with whom a project is shared': {
    meanwhile: ({ friend }) => dropUser(friend),
    request: (world) => ['POST', `${world.project.path()}/share`, toFriend(world)],
    status: 404,
    detail: noUser,
  },
  'the one with whom a new project is shared': {
    meanwhile: ({ friend }) => dropUser(friend),
    request: put('projects', ({ project, friend }) => ({
      instance_owner: project.owner.handle,
      instance_handle: 'model',
      shared_with: [{ user_handle: friend.handle, role: 'reader' }],
    })),
    status: 404,
    detail: noUser,
  },
  'the one with whom an instance is shared': {
    meanwhile: ({ friend }) => dropUser(friend),
    request: (world) => [
      'POST',
      `/v1/llm-services/${world.project.owner.handle}/model/share`,
      toFriend(world),
    ],
    status: 404,
    detail: noUser,
  },
  'an instance that is shared': {
    meanwhile: ({ project }) => `delete from instances where owner_id = ${ownedBy(project.owner)}`,
    request: (world) => [
      'POST',
      `/v1/llm-services/${world.project.owner.handle}/model/share`,
      toFriend(world),
    ],
    status: 404,
    detail: () => 'LLM service instance not found: it was deleted by another request',
  },
  'an instance that a project takes': {
    meanwhile: ({ project }) => `delete from instances where owner_id = ${ownedBy(project.owner)}`,
    request: put('projects', ({ project }) => ({
      instance_owner: project.owner.handle,
      instance_handle: 'model',
    })),
    status: 400,
    detail: ({ project }) => `LLM service instance '${project.owner.handle}/model' not found`,
  },
  'the new owner of a project': {
    meanwhile: ({ friend }) => dropUser(friend),
    request: ({ project, friend }) => [
      'POST',
      `${project.path()}/transfer-ownership`,
      { new_owner_handle: friend.handle },
    ],
    status: 404,
    detail: noUser,
  },
  'the free handle of a project that is transferred': {
    meanwhile: ({ project, friend }) =>
      `with fresh as (insert into collections default values returning collection_id)
       insert into projects (owner_id, project_handle, collection_id)
       select ${ownedBy(friend)}, '${project.handle}', collection_id from fresh`,
    request: ({ project, friend }) => [
      'POST',
      `${project.path()}/transfer-ownership`,
      { new_owner_handle: friend.handle },
    ],
    status: 409,
    detail: ({ project }) => `Project '${project.handle}' already exists`,
  },
  'a project that is shared': {
    meanwhile: ({ project }) => `delete from projects where owner_id = ${ownedBy(project.owner)}`,
    request: (world) => ['POST', `${world.project.path()}/share`, toFriend(world)],
    status: 404,
    detail: ({ project }) => `Project '${project.owner.handle}/${project.handle}' not found`,
  },
  'a project that is uploaded to': {
    meanwhile: ({ project }) => `delete from projects where owner_id = ${ownedBy(project.owner)}`,
    request: ({ project }) => [
      'POST',
      project.path('embeddings'),
      { embeddings: [embedding('a', [1, 0, 0])] },
    ],
    status: 404,
    detail: ({ project }) => `Project '${project.owner.handle}/${project.handle}' not found`,
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
  'loses many': ({ project }) => [
    'POST',
    `${project.path('embeddings')}/delete`,
    { text_ids: ['a'] },
  ],
}
for (const [work, request] of Object.entries(ownersWork)) {
  cases[`a project that ${work}, and has a new owner`] = {
    meanwhile: ({ project, friend }) =>
      `update projects set owner_id = ${ownedBy(friend)} where owner_id = ${ownedBy(project.owner)}`,
    request,
    status: 404,
    detail: ({ project }) => `Project '${project.owner.handle}/${project.handle}' not found`,
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
