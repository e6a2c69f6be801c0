import { expect } from 'vitest'
import { adminKey } from '../app.ts'
import { newInstance, newUser, type User } from '../factories.ts'
import { badHandles, badUserHandles, oddHandles, unstorable } from './refusals.ts'
import { badService, service } from './services.ts'

/** Where things of a kind are made: by whose key, and below which path. */
export interface Place {
  readonly key: string
  readonly collection: string
  /** What nobody sends and every answer has. */
  readonly own: object
  readonly required: object
}

/** A kind of resource: all are made, shown, replaced, changed and deleted by the same rules. */
export interface ResourceKind {
  readonly kind: string
  readonly handleField: string
  /** False where things are made by PUT alone. */
  readonly hasPost: boolean
  /** Below a user, where others may use the same handles. */
  readonly isOwned: boolean
  newPlace(): Promise<Place>
  readonly optional: object
  /** Other values of what is required, as far as PATCH may change it. */
  readonly others: object
  /** What absent optional fields show, where they show anything. */
  readonly empty: object
  /** What answers to POST and PUT show besides. */
  readonly onlyMade: object
  /** What answers to GET and PATCH show besides. */
  readonly onlyRead: object
  readonly goodHandles: readonly string[]
  readonly badHandles: readonly unknown[]
  /** Values of fields that are refused. */
  readonly bad: Readonly<Record<string, readonly unknown[]>>
  /** The same, of fields that PATCH does not know. */
  readonly badWhenMade: Readonly<Record<string, readonly unknown[]>>
}

const description = [5, [], 'd'.repeat(10_001), ...unstorable]
const longest = 'd'.repeat(10_000)
const hints = {
  ...{ query_input_type: 'query', document_input_type: 'document' },
  ...{ query_prefix: 'Q: ', document_prefix: 'D: ' },
}
const none = { empty: {}, onlyMade: {}, onlyRead: {}, others: {}, badWhenMade: {} }
const handles = { goodHandles: oddHandles, badHandles }
const below = (collection: string, { handle }: User) => `/v1/${collection}/${handle}`

const users: ResourceKind = {
  ...none,
  kind: 'a user',
  handleField: 'user_handle',
  hasPost: true,
  isOwned: false,
  newPlace: async () => ({ key: adminKey, collection: '/v1/users', own: {}, required: {} }),
  optional: { name: '💥'.repeat(255), email: `${'e'.repeat(251)}@e.e` },
  onlyMade: { api_key: expect.stringMatching(/^smb_[\w-]{49}$/) },
  goodHandles: ['q', '-A_z-'.padEnd(100, '9')],
  badHandles: [...badUserHandles, '_system', '*'],
  bad: {
    name: [5, [], 'n'.repeat(256), ...unstorable],
    email: [5, '', 'alice', '@', 'a@', 'a b@c', `${'e'.repeat(252)}@e.e`, ...unstorable],
  },
}

const standards: ResourceKind = {
  ...none,
  ...handles,
  kind: 'an API standard',
  handleField: 'api_standard_handle',
  hasPost: true,
  isOwned: false,
  newPlace: async () => ({
    ...{ key: adminKey, collection: '/v1/api-standards', own: {} },
    required: { description: 'A header', key_method: 'auth_apikey', key_field: 'X-API-Key' },
  }),
  optional: { request_format: 'cohere' },
  others: { description: longest, key_method: 'none', key_field: '' },
  bad: {
    description,
    key_method: ['', 'bearer', 'AUTH_BEARER', 5],
    key_field: [5, 'k'.repeat(256), '', ...unstorable],
    request_format: [5, '', 'soap'],
  },
}

const otherService = {
  ...{ endpoint: 'https://provider-b.example/embed', api_standard: 'provider-b' },
  ...{ model: 'large', dimensions: 16_000 },
}

const definitions: ResourceKind = {
  ...none,
  ...handles,
  kind: 'a definition',
  handleField: 'definition_handle',
  hasPost: true,
  isOwned: true,
  newPlace: async () => {
    const user = await newUser()
    const own = { owner: user.handle, definition_id: expect.any(Number) }
    const collection = below('llm-definitions', user)
    return { key: user.key, collection, own, required: { ...service, dimensions: 1 } }
  },
  optional: { description: longest, ...hints },
  others: otherService,
  bad: badService,
}

const instances: ResourceKind = {
  ...none,
  ...handles,
  kind: 'an instance',
  handleField: 'instance_handle',
  hasPost: false,
  isOwned: true,
  newPlace: async () => {
    const user = await newUser()
    const own = { owner: user.handle, instance_id: expect.any(Number), has_api_key: false }
    const collection = below('llm-services', user)
    return { key: user.key, collection, own, required: { ...service, dimensions: 1 } }
  },
  optional: { description: longest, ...hints },
  others: otherService,
  bad: { ...badService, api_key_encrypted: [5, {}, 'k'.repeat(10_001), ...unstorable] },
}

const projects: ResourceKind = {
  ...none,
  ...handles,
  kind: 'a project',
  handleField: 'project_handle',
  hasPost: true,
  isOwned: true,
  newPlace: async () => {
    const owner = await newUser('owner')
    const { instance_id } = await newInstance(owner)
    const own = { owner: owner.handle, project_id: expect.any(Number), instance_id }
    const required = { instance_owner: owner.handle, instance_handle: 'model' }
    return { key: owner.key, collection: below('projects', owner), own, required }
  },
  optional: {
    ...{ description: '💥'.repeat(10_000), public_read: true },
    ...{ metadataScheme: '{"type":"object"}', reading_order: ['ref.book', 'ref.verse'] },
  },
  empty: { public_read: false },
  onlyRead: {
    ...{ model: 'small', dimensions: 3, embeds_texts: true, text_queries: 'off' },
    ...{
      embedding_count: 0,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
    },
  },
  bad: {
    description,
    public_read: ['true', 1, 0, []],
    metadataScheme: [5, { type: 'object' }, true, ...unstorable],
    reading_order: ['ref', [], [5], [''], Array(9).fill('a'), ['a'.repeat(1_001)], [unstorable[0]]],
  },
  badWhenMade: {
    ...{ instance_owner: [5, ...unstorable], instance_handle: [5, ...unstorable] },
    shared_with: [5, {}, ['bob'], [{}], [{ user_handle: 'bob' }], [{ role: 'reader' }]],
  },
}

export const resourceKinds = [users, standards, definitions, instances, projects]

/** Sent back by people who have received it, or sent by mistake: ignored in what describes a thing. */
export const ignored = {
  ...{
    owner: 'x',
    created_at: 5,
    project_id: 987_654,
    instance_id: 987_654,
    definition_id: 987_654,
  },
  ...{ api_key: 'my-own-key', has_api_key: true, nonsense: {} },
}
