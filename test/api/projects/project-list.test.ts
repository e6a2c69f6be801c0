import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import {
  addProject,
  newInstance,
  newProject,
  newSharee,
  newUser,
  share,
  type User,
} from '../../support/factories.ts'

interface Listed {
  readonly owner: string
  readonly project_handle: string
  readonly role?: string
}

const list = async ({ key }: User, owner: User, query = '') => {
  const { status, body } = await call('GET', `/v1/projects/${owner.handle}${query}`, { key })
  expect(status).toBe(200)
  return body
}
const names = ({ projects }: { projects: Listed[] }) =>
  projects.map(({ owner, project_handle }) => `${owner}/${project_handle}`)

async function ownerOf(...handles: string[]): Promise<User> {
  const owner = await newUser('owner')
  await newInstance(owner)
  for (const handle of handles) await addProject(owner, handle, { description: handle })
  return owner
}

describe('the projects of a user', () => {
  it('are none at first', async () => {
    const user = await newUser()
    const empty = { projects: [], total_count: 0, limit: 10, offset: 0 }
    expect(await list(user, user)).toEqual(empty)
  })

  it('are listed as GET shows them, by handle in byte order', async () => {
    const owner = await ownerOf('b', 'a', 'C', 'a.b', '-')
    const body = await list(owner, owner)
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
      const { projects, ...rest } = await list(owner, owner, query)
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
    expect(names(await list(user, user))).toEqual([`${user.handle}/own`])
    const body = await list(user, user, '?include_shared=true')
    const own = `${user.handle}/own`
    const others = [shared, edited].map(({ owner }) => `${owner.handle}/texts`)
    expect(names(body)).toEqual([own, ...others].toSorted())
    expect(body.total_count).toBe(3)
    const roleOf = (owner: User) =>
      body.projects.find((each: Listed) => each.owner === owner.handle).role
    expect([user, shared.owner, edited.owner].map(roleOf)).toEqual([undefined, 'reader', 'editor'])
    const asked = await asAdmin('GET', `/v1/projects/${user.handle}?include_shared=true`)
    expect(asked.body).toEqual(body)
    const second = await list(user, user, '?include_shared=true&limit=1&offset=1')
    expect(second).toMatchObject({ projects: [body.projects[1]], total_count: 3 })
    expect(names(await list(user, user, '?include_shared=false'))).toEqual([own])
  })

  it('are all that others see of an owner', async () => {
    const project = await newProject()
    await addProject(project.owner, 'private')
    await addProject(project.owner, 'public', { public_read: true })
    const reader = await newSharee(project, 'reader')
    await newSharee(project, 'editor')
    const body = await list(reader, project.owner)
    expect(names(body)).toEqual([`${project.owner.handle}/texts`])
    expect(body.total_count).toBe(1)
    expect((await list(project.owner, project.owner)).total_count).toBe(3)
    const { key } = await newUser('stranger')
    const refused = await call('GET', `/v1/projects/${project.owner.handle}`, { key })
    expect(refused.status).toBe(403)
    expect((await call('GET', `/v1/projects/${project.owner.handle}`)).status).toBe(401)
  })
})
