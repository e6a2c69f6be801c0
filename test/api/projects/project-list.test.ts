import { describe, expect, it, onTestFinished } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import {
  addProject,
  embedding,
  newInstance,
  newProject,
  newSharee,
  newUser,
  share,
  type User,
  upload,
} from '../../support/factories.ts'
import { startServiceOfAnn } from '../../support/servers/service-of-ann.ts'

type Listed = { owner: string; project_handle: string; role?: string }

const list = async (path: string, user?: User) => {
  const { status, body } = await call('GET', path, user === undefined ? {} : { key: user.key })
  expect(status, path).toBe(200)
  return body
}
const projectsOf = (user: User, owner: User, query = '') =>
  list(`/v1/projects/${owner.handle}${query}`, user)
const names = ({ projects }: { projects: Listed[] }) =>
  projects.map(({ owner, project_handle }) => `${owner}/${project_handle}`)

async function ownerOf(...handles: string[]): Promise<User> {
  const owner = await newUser('owner')
  await newInstance(owner)
  for (const handle of handles) await addProject(owner, handle, { description: handle })
  return owner
}

describe('the projects of a user', () => {
  it('are listed as GET shows them, by handle in byte order', async () => {
    const owner = await ownerOf('b', 'a', 'C', 'a.b', '-')
    const body = await projectsOf(owner, owner)
    expect(body.projects.map((each: Listed) => each.project_handle)).toEqual([
      ...['-', 'C', 'a', 'a.b', 'b'],
    ])
    expect(body).toMatchObject({ total_count: 5, limit: 10, offset: 0 })
    const { key } = owner
    const shown = await call('GET', `/v1/projects/${owner.handle}/a`, { key })
    expect(body.projects[2]).toEqual(shown.body)
    expect((await asAdmin('GET', `/v1/projects/${owner.handle}`)).body).toEqual(body)
  })

  it('come in pages of limit from offset, ten if not said otherwise', async () => {
    const handles = [...'abcdefghijkl']
    const owner = await ownerOf(...handles)
    const page = async (query: string) => {
      const { projects, ...rest } = await projectsOf(owner, owner, query)
      return { ...rest, handles: projects.map((each: Listed) => each.project_handle).join('') }
    }
    const total_count = 12
    expect(await page('')).toEqual({ handles: 'abcdefghij', total_count, limit: 10, offset: 0 })
    expect(await page('?limit=5')).toMatchObject({ handles: 'abcde', limit: 5 })
    const third = { handles: 'kl', total_count, limit: 5, offset: 10 }
    expect(await page('?limit=5&offset=10')).toEqual(third)
    expect(await page('?limit=200&offset=11')).toMatchObject({ handles: 'l' })
    expect(await page('?offset=12')).toMatchObject({ handles: '', total_count, offset: 12 })
    expect(await page('?limit=1&offset=2147483647')).toMatchObject({ handles: '', total_count })
  })
})

describe('shared projects', () => {
  it('are listed on demand, each with its role', async () => {
    const shared = await newProject()
    const user = await newSharee(shared, 'reader')
    const edited = await newProject()
    await share(edited.path(), edited.owner, user, 'editor')
    await newInstance(user)
    await addProject(user, 'own')
    expect(names(await projectsOf(user, user))).toEqual([`${user.handle}/own`])
    const body = await projectsOf(user, user, '?include_shared=true')
    const own = `${user.handle}/own`
    const others = [shared, edited].map(({ owner }) => `${owner.handle}/texts`)
    expect(names(body)).toEqual([own, ...others].toSorted())
    expect(body.total_count).toBe(3)
    const roleOf = (owner: User) =>
      body.projects.find((each: Listed) => each.owner === owner.handle).role
    expect([user, shared.owner, edited.owner].map(roleOf)).toEqual([undefined, 'reader', 'editor'])
    const asked = await asAdmin('GET', `/v1/projects/${user.handle}?include_shared=true`)
    expect(asked.body).toEqual(body)
    const second = await projectsOf(user, user, '?include_shared=true&limit=1&offset=1')
    expect(second).toMatchObject({ projects: [body.projects[1]], total_count: 3 })
    expect(names(await projectsOf(user, user, '?include_shared=false'))).toEqual([own])
  })

  it('are all that others see of an owner', async () => {
    const project = await newProject()
    await addProject(project.owner, 'private')
    await addProject(project.owner, 'public', { public_read: true })
    const reader = await newSharee(project, 'reader')
    await newSharee(project, 'editor')
    const body = await projectsOf(reader, project.owner)
    expect(names(body)).toEqual([`${project.owner.handle}/texts`])
    expect(body.total_count).toBe(1)
    expect((await projectsOf(project.owner, project.owner)).total_count).toBe(3)
    const { key } = await newUser('stranger')
    const refused = await call('GET', `/v1/projects/${project.owner.handle}`, { key })
    expect(refused.status).toBe(403)
    expect((await call('GET', `/v1/projects/${project.owner.handle}`)).status).toBe(401)
  })
})

async function userWithModel(): Promise<User> {
  const user = await newUser()
  await newInstance(user, { api_key_encrypted: `provider-key-of-${user.handle}` })
  return user
}

const sharedAs = (role: string, ...users: User[]) => ({
  shared_with: users.map(({ handle }) => ({ user_handle: handle, role })),
})
const publicly = { public_read: true }

/** Alice has four projects, two of them shared with bob, and two public; bob has one. */
async function world() {
  const [alice, bob] = [await userWithModel(), await userWithModel()]
  await addProject(alice, 'z-own')
  await addProject(alice, 'read', sharedAs('reader', bob))
  await addProject(bob, 'of-bob')
  await addProject(alice, 'open', publicly)
  await addProject(alice, 'a-edit', { ...publicly, ...sharedAs('editor', bob) })
  const shown = ({ projects }: { projects: Listed[] }) =>
    projects
      .filter(({ owner }) => [alice.handle, bob.handle].includes(owner))
      .map(({ project_handle, role }) => [project_handle, role])
  return { alice, bob, shown }
}

/** Public projects of other tests are among them. */
async function everything(query: string, user?: User) {
  const projects: Listed[] = []
  for (let offset = 0; ; offset += 200) {
    const page = await list(`/v1/projects?limit=200&offset=${offset}${query}`, user)
    projects.push(...page.projects)
    if (page.projects.length < 200) return { projects }
  }
}

describe('GET /v1/me', () => {
  it('says whose key it is, and what it may use with which role, as it was created', async () => {
    const { alice, bob, shown } = await world()
    const me = await list('/v1/me', bob)
    expect(me).toMatchObject({ user_handle: bob.handle, is_admin: false, total_count: 3 })
    expect(shown(me)).toEqual([
      ['read', 'reader'],
      ['of-bob', 'owner'],
      ['a-edit', 'editor'],
    ])
    expect(shown(await list('/v1/me?limit=2&offset=1', alice))).toEqual([
      ['read', 'owner'],
      ['open', 'owner'],
    ])
  })

  it('shows nothing of a user who has nothing, and the administrator as such', async () => {
    const user = await newUser()
    const page = { projects: [], total_count: 0, limit: 10, offset: 0 }
    const none = { ...page, embedding_hosts: ['127.0.0.0/8'] }
    expect(await list('/v1/me', user)).toEqual({
      user_handle: user.handle,
      is_admin: false,
      ...none,
    })
    expect((await asAdmin('GET', '/v1/me')).body).toEqual({ is_admin: true, ...none })
  })
})

describe('GET /v1/projects', () => {
  it('lists what the caller may read, each once, as it was created', async () => {
    const { alice, bob, shown } = await world()
    const public_ = ['open', undefined]
    expect(shown(await everything('', bob))).toEqual([
      ['read', 'reader'],
      ['of-bob', 'owner'],
      public_,
      ['a-edit', 'editor'],
    ])
    expect(shown(await everything('&visibility=own', bob))).toEqual([['of-bob', 'owner']])
    expect(shown(await everything('&visibility=shared', bob))).toEqual([
      ['read', 'reader'],
      ['a-edit', 'editor'],
    ])
    expect(shown(await everything('&visibility=public', bob))).toEqual([
      public_,
      ['a-edit', 'editor'],
    ])
    expect(shown(await everything('', alice))).toEqual(
      ['z-own', 'read', 'open', 'a-edit'].map((handle) => [handle, 'owner']),
    )
  })

  it('lists the public ones to strangers and to nobody', async () => {
    const { shown } = await world()
    const expected = [
      ['open', undefined],
      ['a-edit', undefined],
    ]
    expect(shown(await everything(''))).toEqual(expected)
    expect(shown(await everything('&visibility=public'))).toEqual(expected)
    expect(shown(await everything('', await newUser()))).toEqual(expected)
  })

  it('has nothing of their own for those without a key, and refuses a wrong one', async () => {
    for (const visibility of ['own', 'shared']) {
      expect((await call('GET', `/v1/projects?visibility=${visibility}`)).status).toBe(401)
    }
    const key = 'nobody-has-this'
    expect((await call('GET', '/v1/projects', { key })).status).toBe(401)
    const { status, body } = await call('GET', '/v1/projects?visibility=mine')
    expect(status).toBe(400)
    expect(body.detail).toBe('visibility must be own, shared, public')
  })

  it('comes in pages without gaps and repeats', async () => {
    const { send, call, addProject, close } = await startServiceOfAnn()
    onTestFinished(close)
    const { api_key: key } = (await send('PUT', '/v1/users/bob', {})).body
    for (let number = 0; number < 9; number += 1) {
      await addProject(`p${number}`, {
        public_read: number % 2 === 0,
        shared_with: number % 3 === 0 ? [{ user_handle: 'bob', role: 'reader' }] : [],
      })
    }
    const pages = await Promise.all(
      [0, 2, 4, 6].map((offset) => call('GET', `/v1/projects?limit=2&offset=${offset}`, { key })),
    )
    expect(
      pages.map(({ body }) => body.projects.map((each: Listed) => each.project_handle)),
    ).toEqual([['p0', 'p2'], ['p3', 'p4'], ['p6', 'p8'], []])
    expect(pages.map(({ body }) => body.total_count)).toEqual([6, 6, 6, 6])
  })
})

it('a project is shown to all its readers with its model, dimensions, number of embeddings and last upload, but no endpoint and no key', async () => {
  const alice = await userWithModel()
  const project = await addProject(alice, 'open', publicly)
  await upload(project, embedding('a', [1, 0, 0]), embedding('b', [0, 1, 0]))
  const { last_upload } = (await call('GET', `${project.path()}/statistics`)).body
  expect(Math.abs(Date.parse(last_upload) - Date.now())).toBeLessThan(60_000)
  const expected = { model: 'small', dimensions: 3, embedding_count: 2, last_upload }
  const { body } = await call('GET', project.path())
  expect(body).toMatchObject(expected)
  const [listed] = (await list(`/v1/projects/${alice.handle}`, alice)).projects
  expect(listed).toEqual(body)
  const mine = (await list('/v1/me', alice)).projects
  expect(mine).toEqual([{ ...body, role: 'owner' }])
  const patched = await call('PATCH', project.path(), { ...alice, body: { description: 'x' } })
  expect(patched.body).toMatchObject(expected)
  expect(JSON.stringify([body, mine])).not.toMatch(/endpoint|example|provider/)
  await call('DELETE', project.path('embeddings'), alice)
  expect((await call('GET', project.path())).body).not.toHaveProperty('last_upload')
})
