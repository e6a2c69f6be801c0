import { asAdmin } from '../client.ts'
import {
  addProject,
  embedding,
  newDefinition,
  newInstance,
  newKey,
  newStandard,
  newUser,
  type Project,
  share,
  type User,
  upload,
} from '../factories.ts'

/** One of everything, and a user for everyone who can stand in a relation to it. */
export interface World {
  readonly owner: User
  readonly stranger: User
  readonly neighbour: User
  readonly reader: User
  readonly editor: User
  /** One more reader, whose shares are there to be removed. */
  readonly guest: User
  readonly project: Project
  /** An API standard that nothing refers to. */
  readonly standard: string
}

/** The owner's things; `texts` uses the instance `model`; nothing uses `spare`, which has no provider. */
export const things = {
  project: 'texts',
  instance: 'spare',
  definition: 'template',
  textId: 'stored',
  key: 'notebook',
}

/** The users of a world who hold shares in it; they can do so in several worlds. */
type Sharees = Pick<World, 'neighbour' | 'reader' | 'editor' | 'guest'>

export async function newWorld(public_read: boolean, known?: Sharees): Promise<World> {
  const [owner, stranger, sharees] = await Promise.all([
    newUser('owner'),
    newUser('stranger'),
    known ?? newSharees(),
  ])
  const { neighbour, reader, editor, guest } = sharees
  const as = ({ handle }: User, role: string) => ({ user_handle: handle, role })
  const neighbours = [as(neighbour, 'editor')]
  const shares = [as(reader, 'reader'), as(editor, 'editor'), as(guest, 'reader')]
  const [standard] = await Promise.all([
    newStandard(),
    newDefinition(owner, things.definition),
    newKey(owner, { key_handle: things.key }),
    newSharedInstance(owner, 'model', neighbours, {}),
    newSharedInstance(owner, things.instance, shares, { endpoint: 'none' }),
  ])
  const [project] = await Promise.all([
    addProject(owner, things.project, { public_read, shared_with: shares }),
    addProject(owner, 'another', { shared_with: neighbours }),
  ])
  await upload(project, embedding(things.textId, [1, 0, 0]))
  return { owner, stranger, neighbour, reader, editor, guest, project, standard }
}

async function newSharees(): Promise<Sharees> {
  const [neighbour, reader, editor, guest] = await Promise.all([
    newUser('neighbour'),
    newUser('reader'),
    newUser('editor'),
    newUser('guest'),
  ])
  return { neighbour, reader, editor, guest }
}

async function newSharedInstance(
  owner: User,
  instance: string,
  shares: readonly { readonly user_handle: string; readonly role: string }[],
  fields: object,
): Promise<void> {
  await newInstance(owner, fields, instance)
  for (const { user_handle: handle, role } of shares) {
    await share(`/v1/llm-services/${owner.handle}/${instance}`, owner, { handle }, role)
  }
}

/** All that can be seen of a world, to tell whether anything has changed. */
export async function pictureOf({ owner, project, standard }: World): Promise<unknown> {
  const { handle } = owner
  const instance = `/v1/llm-services/${handle}/${things.instance}`
  const paths = [
    `/v1/users/${handle}`,
    `/v1/users/${handle}/keys`,
    `/v1/api-standards/${standard}`,
    `/v1/llm-definitions/${handle}`,
    `/v1/llm-services/${handle}`,
    `${instance}/shared-with`,
    `/v1/projects/${handle}`,
    `${project.path()}/shared-with`,
    project.path('embeddings'),
  ]
  const answers = await Promise.all(paths.map((path) => asAdmin('GET', path)))
  return answers.map(({ status, body }, index) => ({ path: paths[index], status, body }))
}
