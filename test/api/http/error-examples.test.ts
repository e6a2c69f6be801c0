import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { adminKey } from '../../support/app.ts'
import { answersOf, fill, operationsOf } from '../../support/openapi/document.ts'
import { lookUp, member, placeOf } from '../../support/openapi/document-schemas.ts'
import { startOwnService } from '../../support/servers/own-service.ts'

type Service = Awaited<ReturnType<typeof startOwnService>>

/** What of a request differs from the example of its operation. */
interface Change {
  readonly names?: Readonly<Record<string, string>>
  readonly query?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const names = {
  user: 'alice',
  project: 'verses',
  instance: 'my-model',
  definition: 'my-model',
  standard: 'my-provider',
  key_handle: 'notebook',
  text_id: 'matthew-5-3',
  grantee: 'carol',
}
const service = {
  endpoint: 'https://provider-b.example/v1/embeddings',
  api_standard: 'provider-b',
  model: 'small',
}
const uses = (instance_handle: string) => ({ instance_owner: 'alice', instance_handle })
const badScheme = { ...uses('my-model'), metadataScheme: '{"type":"text"}' }
const item = { instance_handle: 'my-model', vector: [1, 0, 0], vector_dim: 3 }
const upload = (...embeddings: object[]) => ({ body: { embeddings } })
const one = '?text_id=matthew-5-3'
const wide = '?limit=1000'
const far = '?threshold=2'

/** The examples of these as they are. */
const unchanged = (...ids: string[]): Record<string, Change> =>
  Object.fromEntries(ids.map((id) => [id, {}]))
/** What lacks only the embedding, the share or the definition. */
const missingParts: Readonly<Record<string, Change>> = {
  ...unchanged('getNamedKey', 'patchNamedKey', 'rotateNamedKey', 'deleteNamedKey'),
  ...unchanged('unshareInstance', 'unshareProject', 'getDefinition', 'patchDefinition'),
  ...unchanged('deleteDefinition', 'getEmbedding', 'getAround', 'deleteEmbedding'),
  ...unchanged('searchByTextId'),
  listEmbeddings: { query: one },
  deleteAllEmbeddings: { query: one },
  searchByTextIdParameter: { query: one },
  searchProjects: {
    body: {
      projects: ['alice/verses'],
      text_id: { project: 'alice/verses', text_id: 'matthew-5-3' },
    },
  },
}
const invalid: Readonly<Record<string, Change>> = {
  createNamedKey: { body: { key_handle: 'new', access: 'read', projects: ['alice/missing'] } },
  patchNamedKey: { body: { access: 'write' } },
  listProjects: { query: wide },
  listEmbeddings: { query: wide },
  getEmbedding: { query: '?include=metdata' },
  getAround: { query: '?before=21' },
  exportProject: { query: '?format=csv' },
  importProject: { names: { project: 'new' } },
  deleteEmbeddings: { body: { filter: {} } },
  countEmbeddings: { query: '?filter=Mark' },
  getProjectFields: { query: '?filter={}' },
  findMissingEmbeddings: { body: { items: [{ text_id: 'matthew-5-3', sha256: 'x' }] } },
  uploadEmbeddings: upload({ text_id: 'mark-1-11', ...item, vector: [1, 0], vector_dim: 2 }),
  searchByTextId: { query: far },
  searchByTextIdParameter: { query: `${one}&threshold=2` },
  searchByVector: { body: { vector: [1, 0] } },
  searchProjects: { body: { projects: ['alice/verses', 'alice/psalms'], vector: [1, 0, 0] } },
  searchBatch: { body: { searches: Array(101).fill({ text_id: 'matthew-5-3' }) } },
  listAllNeighbours: { body: { k: 0 } },
  getProjectMap: { query: '?field=' },
}
const conflicting: Readonly<Record<string, Change>> = {
  ...unchanged('createUser', 'createNamedKey', 'createApiStandard', 'createDefinition'),
  ...unchanged('deleteInstance', 'createProject', 'importProject', 'transferProject'),
  deleteApiStandard: { names: { standard: 'provider-a' } },
  putInstance: { body: { ...service, dimensions: 1536 } },
  patchInstance: { body: { dimensions: 1536 } },
  putProject: { body: uses('large-model') },
  uploadEmbeddings: upload({ text_id: 'matthew-5-3', ...item }),
}
/** Only another request at the same time gets it; its message is the service's own constant. */
const races = [
  ...['putDefinition', 'patchDefinition', 'shareInstance', 'shareProject', 'listAllNeighbours'],
  'getProjectMap',
]
/** What is in their way is another that runs, or the engine. */
const ofService = ['checkSanity', 'backUpDatabase']
const unprocessable: Readonly<Record<string, Change>> = {
  createProject: { body: { project_handle: 'another', ...badScheme } },
  putProject: { body: badScheme },
  importProject: {
    names: { project: 'new' },
    body: {
      semblance: 1,
      project: { description: null, metadataScheme: badScheme.metadataScheme },
      instance: null,
      embeddings: 0,
    },
  },
  patchProject: { body: { metadataScheme: badScheme.metadataScheme } },
  searchByTextId: { query: '?min_percentile=0.9' },
}

describe('the examples of errors are what the service sends', () => {
  let running: Service
  let carol: string

  beforeAll(async () => {
    // Its requests hold as a secret what the document shows as an example.
    running = await startOwnService({ maxBody: 64 * 1024 * 1024 }, false)
  })
  afterAll(() => running.close())

  const declaring = (status: number) =>
    operationsOf(running.document).filter((operation) =>
      answersOf(operation).some(([declared]) => declared === String(status)),
    )
  const idsOf = (status: number) => declaring(status).map(({ id }) => id)

  const admin = { Authorization: `Bearer ${adminKey}` }

  /** Sends each operation's example, changed, and compares the answer with the documented one. */
  async function compare(status: number, ids: readonly string[], change: (id: string) => Change) {
    const operations = declaring(status).filter(({ id }) => ids.includes(id))
    expect(operations.map(({ id }) => id).sort()).toEqual([...ids].sort())
    for (const operation of operations) {
      const { id, method, template, declared } = operation
      const { names: others, query = '', headers = admin, ...changed } = change(id)
      const given = lookUp(
        running.document,
        `${placeOf(operation)}/requestBody/content/application~1json/example`,
      )
      const body = 'body' in changed ? changed.body : given
      const path = fill(template, { ...names, ...others }) + query
      const answer = await running.app.request(path, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      })
      const content = member(member(declared.responses, String(status)), 'content')
      const example = member(member(content, 'application/problem+json'), 'example')
      expect(await answer.json(), `${id} ${status}`).toEqual(example)
      expect(answer.status, id).toBe(status)
    }
  }

  async function put(path: string, body: object): Promise<unknown> {
    const answer = await running.app.request(path, {
      method: /^\/v1\/embeddings|(share|keys)$/.test(path) ? 'POST' : 'PUT',
      headers: admin,
      body: JSON.stringify(body),
    })
    expect(answer.status, path).toBe(201)
    return answer.json()
  }

  it('404 in an empty database', async () => {
    const ids = idsOf(404).filter((id) => !(id in missingParts))
    await compare(404, ids, () => ({}))
  })

  it('404 where only an embedding, a share or a definition is missing', async () => {
    await put('/v1/users/alice', {})
    await put('/v1/users/bob', {})
    carol = String(member(await put('/v1/users/carol', {}), 'api_key'))
    await put('/v1/llm-services/alice/my-model', {
      ...service,
      api_standard: 'provider-a',
      dimensions: 3,
    })
    await put('/v1/llm-services/alice/large-model', { ...service, dimensions: 1536 })
    await put('/v1/projects/alice/verses', uses('my-model'))
    await compare(404, Object.keys(missingParts), (id) => missingParts[id] ?? {})
  })

  it('403 to a stranger', async () => {
    await put('/v1/llm-definitions/alice/my-model', { ...service, dimensions: 3 })
    await put('/v1/projects/bob/verses', uses('my-model'))
    await put('/v1/projects/alice/psalms', uses('large-model'))
    await put('/v1/users/alice/keys', { key_handle: 'notebook', access: 'read' })
    await put('/v1/embeddings/alice/verses', { embeddings: [{ text_id: 'matthew-5-3', ...item }] })
    await compare(403, idsOf(403), () => ({ headers: { Authorization: `Bearer ${carol}` } }))
  })

  it('400 to what is not valid', async () => {
    await compare(400, idsOf(400), (id) => invalid[id] ?? {})
  })

  it('and the one for all operations is that of a request without a key', async () => {
    const shared = lookUp(running.document, '/components/responses/Error')
    const answer = await running.app.request('/v1/users')
    const content = member(member(shared, 'content'), 'application/problem+json')
    expect(await answer.json()).toEqual(member(content, 'example'))
  })

  it('409 to what is in the way, and 422 to a bad scheme', async () => {
    const standard = { description: '', key_method: 'none', key_field: '' }
    await put('/v1/api-standards/my-provider', standard)
    const ids = idsOf(409).filter((id) => !races.includes(id) && !ofService.includes(id))
    expect(ids.sort()).toEqual(Object.keys(conflicting).sort())
    await compare(409, ids, (id) => conflicting[id] ?? {})
    // Only a project that is larger than any of this test is too large for it.
    const searches = ['searchByTextIdParameter', 'searchByVector', 'searchProjects']
    const ofSize = ['listAllNeighbours', 'getProjectMap', ...searches]
    const refusable = idsOf(422).filter((id) => !ofSize.includes(id))
    await compare(422, refusable, (id) => unprocessable[id] ?? {})
  })

  it('409 to a second check of the data', async () => {
    const first = running.app.request('/v1/admin/sanity-check', { headers: admin })
    await compare(409, ['checkSanity'], () => ({}))
    expect((await first).status).toBe(200)
  })

  it.runIf(inject('engine') === 'postgres')('409 to a backup of PostgreSQL', async () => {
    await compare(409, ['backUpDatabase'], () => ({}))
  })

  it('and every error has one', () => {
    for (const operation of operationsOf(running.document)) {
      for (const [status, answer] of answersOf(operation).filter(([each]) => /^[45]/.test(each))) {
        const content = member(member(answer, 'content'), 'application/problem+json')
        const detail = expect.stringMatching(/./)
        expect(member(content, 'example'), `${operation.id} ${status}`).toMatchObject({
          status: Number(status),
          detail,
        })
      }
    }
  })
})
