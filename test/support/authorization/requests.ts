import { adminKey } from '../app.ts'
import { embedding, unique } from '../factories.ts'
import { type DocumentedOperation, fill, namesIn } from '../openapi/document.ts'
import type { Caller, Row } from './table.ts'
import { things, type World } from './world.ts'

/** What each caller sends as headers; where there are several, all must get the same answer. */
export function headersOf(world: World, caller: Caller): Record<string, string>[] {
  if (caller === 'nobody') return [{}]
  if (caller === 'malformed') return [`Basic ${world.owner.key}`, `Bearer  ${adminKey}`].map(header)
  if (caller === 'unknown') return [header('Bearer a-key-that-nobody-has')]
  return [header(`Bearer ${caller === 'admin' ? adminKey : world[caller].key}`)]
}

const header = (value: string) => ({ Authorization: value })

const handleOf = (world: World, caller: Caller) =>
  caller === 'nobody' || caller === 'malformed' || caller === 'unknown' || caller === 'admin'
    ? ''
    : world[caller].handle

const newDefinition = {
  endpoint: 'https://provider-b.example/v1/embeddings',
  api_standard: 'provider-b',
  model: 'large',
  dimensions: 3,
}
const newStandard = { description: 'New', key_method: 'query_param', key_field: 'key' }
const newProject = ({ owner }: World) => ({
  instance_owner: owner.handle,
  instance_handle: 'model',
})

/** A body that each operation accepts from whom it lets through. */
const bodies: Readonly<Record<string, (world: World, words: string[]) => object>> = {
  createUser: () => ({ user_handle: unique('new') }),
  putUser: () => ({ name: 'New' }),
  patchUser: () => ({ name: 'New' }),
  createNamedKey: () => ({ key_handle: unique('new'), access: 'read' }),
  patchNamedKey: () => ({ description: 'New' }),
  createApiStandard: () => ({ api_standard_handle: unique('new'), ...newStandard }),
  putApiStandard: () => newStandard,
  patchApiStandard: () => ({ description: 'New' }),
  createDefinition: () => ({ definition_handle: unique('new'), ...newDefinition }),
  putDefinition: () => newDefinition,
  patchDefinition: () => ({ description: 'New' }),
  putInstance: () => newDefinition,
  patchInstance: () => ({ description: 'New' }),
  shareInstance: ({ stranger }) => ({ share_with_handle: stranger.handle, role: 'reader' }),
  createProject: (world) => ({ project_handle: unique('new'), ...newProject(world) }),
  putProject: newProject,
  // The first line of a file: what is missing is said in the last line of the answer.
  importProject: ({ owner }) => ({
    semblance: 1,
    project: { description: null, metadataScheme: null },
    instance: {
      instance_handle: unique('made'),
      ...newDefinition,
      model: 'small',
      owner: owner.handle,
    },
    embeddings: 0,
  }),
  patchProject: () => ({ description: 'New' }),
  shareProject: ({ stranger }) => ({ share_with_handle: stranger.handle, role: 'reader' }),
  transferProject: ({ stranger }) => ({ new_owner_handle: stranger.handle }),
  uploadEmbeddings: () => ({ embeddings: [embedding('new', [0, 1, 0])] }),
  findMissingEmbeddings: () => ({ items: [{ text_id: things.textId }] }),
  deleteEmbeddings: () => ({ text_ids: [things.textId] }),
  searchByVector: () => ({ vector: [1, 0, 0] }),
  searchProjects: ({ owner }, words) => {
    const user = words.includes('no-owner') ? unique('missing') : owner.handle
    const handle = words.includes('missing') ? unique('missing') : things.project
    const project = words.includes('no-handle') ? 'no handle!' : handle
    return { projects: [`${user}/${project}`], vector: [1, 0, 0] }
  },
  searchBatch: () => ({ searches: [{ vector: [1, 0, 0] }] }),
  listAllNeighbours: () => ({ k: 1 }),
}

export const bodyOf = ({ operation, scene }: Pick<Row, 'operation' | 'scene'>, world: World) =>
  bodies[operation]?.(world, scene.split('+'))

/** The parameters of a path that name something, the innermost first. */
const naming = ['key_handle', 'definition', 'instance', 'project', 'standard', 'user']

/**
 * The URL of an operation in a scene; `caller` matters where the share is the caller's own. Beside
 * the words of the table: `no-owner`, a user who does not exist; `no-handle`, what no handle can be.
 */
export function urlOf(
  { template }: DocumentedOperation,
  scene: Row['scene'],
  world: World,
  caller: Caller,
): string {
  const words = scene.split('+')
  const values = existing(world)
  if (words.includes('_system')) {
    Object.assign(values, { user: '_system', definition: 'provider-a-small' })
  }
  const innermost = naming.find((name) => namesIn(template).includes(name))
  if (innermost !== undefined) {
    if (words.includes('missing')) values[innermost] = unique('missing')
    if (words.includes('no-handle')) values[innermost] = 'no handle!'
  }
  if (words.includes('no-owner')) values['user'] = unique('missing')
  if (words.includes('no-text')) values['text_id'] = 'missing'
  if (words.includes('no-share')) values['grantee'] = world.stranger.handle
  if (words.includes('own-share')) values['grantee'] = handleOf(world, caller)
  if (words.includes('model')) return `${fill(template, values)}?instance_handle=model`
  if (words.includes('file')) return `${fill(template, values)}?format=semblance`
  const one = words.includes('one') ? `?text_id=${values['text_id']}` : ''
  const query = words.includes('mine') ? '?visibility=own' : one
  return fill(template, values) + query
}

function existing({ owner, guest, standard }: World): Record<string, string> {
  return {
    user: owner.handle,
    project: things.project,
    instance: things.instance,
    key_handle: things.key,
    definition: things.definition,
    standard,
    text_id: things.textId,
    grantee: guest.handle,
  }
}
