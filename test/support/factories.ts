import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { modelOf } from '../shared/model.ts'
import { asAdmin, call } from './client.ts'

export interface User {
  readonly handle: string
  readonly key: string
}

/** A handle that no other test has. */
export const unique = (prefix: string) => `${prefix}-${randomBytes(6).toString('hex')}`

export async function newUser(prefix = 'user'): Promise<User> {
  const handle = unique(prefix)
  const { status, body } = await asAdmin('POST', '/v1/users', { body: { user_handle: handle } })
  expect(status).toBe(201)
  return { handle, key: body.api_key }
}

/** One more key of the user, which may only read unless said otherwise. @returns the key itself */
export async function newKey({ handle, key }: User, fields: object = {}): Promise<string> {
  const body = { key_handle: unique('key'), access: 'read', ...fields }
  const answer = await call('POST', `/v1/users/${handle}/keys`, { key, body })
  expect(answer.status).toBe(201)
  return answer.body.api_key
}

/** An instance of the user, 3 dimensions unless said otherwise. */
export async function newInstance(user: User, fields: object = {}, handle = 'model') {
  const body = { ...modelOf(), ...fields }
  const path = `/v1/llm-services/${user.handle}/${handle}`
  const answer = await call('PUT', path, { key: user.key, body })
  expect(answer.status).toBe(201)
  return answer.body
}

/** A definition of the user. @returns it, and its path */
export async function newDefinition({ handle, key }: User, name: string, fields: object = {}) {
  const path = `/v1/llm-definitions/${handle}/${name}`
  const answer = await call('PUT', path, { key, body: { ...modelOf(), ...fields } })
  expect(answer.status).toBe(201)
  return { path, definition: answer.body }
}

/** An API standard. @returns its handle */
export async function newStandard(fields: object = {}): Promise<string> {
  const api_standard_handle = unique('standard')
  const method = { key_method: 'auth_bearer', key_field: 'Authorization' }
  const body = { api_standard_handle, description: 'A header', ...method, ...fields }
  expect(await asAdmin('POST', '/v1/api-standards', { body })).toMatchObject({ status: 201, body })
  return api_standard_handle
}

export interface Project {
  readonly owner: User
  readonly handle: string
  /** `/v1/projects/<owner>/<handle>` and its like below other collections. */
  path(collection?: string): string
}

/** A new user with an instance `model` and a project `texts`. */
export async function newProject(
  fields: object = {},
  instanceFields: object = {},
): Promise<Project> {
  const owner = await newUser('owner')
  await newInstance(owner, instanceFields)
  return addProject(owner, 'texts', fields)
}

/** A project as others name it, whether it is there or not. */
export const projectNamed = (owner: User, handle: string): Project => ({
  owner,
  handle,
  path: (collection = 'projects') => `/v1/${collection}/${owner.handle}/${handle}`,
})

/** One more project of a user who has the instance `model`. */
export async function addProject(owner: User, handle: string, fields: object = {}) {
  const body = {
    project_handle: handle,
    instance_owner: owner.handle,
    instance_handle: 'model',
    ...fields,
  }
  const answer = await call('POST', `/v1/projects/${owner.handle}`, { key: owner.key, body })
  expect(answer.status).toBe(201)
  return projectNamed(owner, handle)
}

/** Shares what has this path, a project or an instance. */
export async function share(
  path: string,
  by: User,
  { handle }: Pick<User, 'handle'>,
  role = 'reader',
) {
  const body = { share_with_handle: handle, role }
  const answer = await call('POST', `${path}/share`, { key: by.key, body })
  expect(answer.status).toBe(201)
}

/** A user with a share of the project. */
export async function newSharee(project: Project, role: 'reader' | 'editor'): Promise<User> {
  const user = await newUser(role)
  await share(project.path(), project.owner, user, role)
  return user
}

/** An instance `model`, and a user whom its owner has lent it to. */
export async function newLoan(instanceFields: object = {}) {
  const [lender, owner] = [await newUser('lender'), await newUser('borrower')]
  await newInstance(lender, instanceFields)
  const path = `/v1/llm-services/${lender.handle}/model`
  await share(path, lender, owner)
  return { lender, owner, path }
}

/** Gives a project to another user. @returns it, as theirs */
export async function giveAway({ owner, handle, path }: Project, heir: User): Promise<Project> {
  const body = { new_owner_handle: heir.handle }
  const answer = await call('POST', `${path()}/transfer-ownership`, { key: owner.key, body })
  expect(answer.status).toBe(200)
  return projectNamed(heir, handle)
}

/** An item of an upload to a project of `newProject`. */
export const embedding = (text_id: string, vector: number[], fields: object = {}) => ({
  text_id,
  instance_handle: 'model',
  vector,
  vector_dim: vector.length,
  ...fields,
})

export async function upload(project: Project, ...embeddings: object[]): Promise<void> {
  const { key } = project.owner
  const answer = await call('POST', project.path('embeddings'), { key, body: { embeddings } })
  expect(answer.status).toBe(201)
}
