import { readFile } from 'node:fs/promises'
import type { Server } from './server.ts'

const service = {
  endpoint: 'https://provider-a.example/v1/embeddings',
  api_standard: 'provider-a',
  model: 'small',
  dimensions: 3,
}
const standard = { description: '', key_method: 'auth_bearer', key_field: 'Authorization' }
const project = { instance_owner: 'alice', instance_handle: 'my-model' }
const forBob = { share_with_handle: 'bob', role: 'reader' }

/** What an example makes must not be there. */
const absentFor: Readonly<Record<string, string>> = {
  createUser: '/v1/users/alice',
  createNamedKey: '/v1/users/alice/keys/notebook',
  createApiStandard: '/v1/api-standards/my-provider',
  createDefinition: '/v1/llm-definitions/alice/my-model',
  createProject: '/v1/projects/alice/verses',
  importProject: '/v1/projects/alice/verses',
  uploadEmbeddings: '/v1/embeddings/alice/verses',
  // Projects still use it.
  deleteInstance: '/v1/projects/alice/verses',
}

interface Operation {
  readonly id: string
  /** In capitals. */
  readonly method: string
}

/** What the examples of the document and the guide speak of: alice's things, and bob who shares them. */
export class World {
  readonly #server: Pick<Server, 'url' | 'key'>
  /** Since it was made anew there were only reads. */
  #isAsInTheBeginning = false

  constructor(server: Pick<Server, 'url' | 'key'>) {
    this.#server = server
  }

  /** Makes it as it was in the beginning, but for what the example of this operation makes. */
  async prepareFor({ id, method }: Operation): Promise<void> {
    if (!this.#isAsInTheBeginning) await this.#makeAnew()
    const absent = absentFor[id]
    if (absent !== undefined) await this.#delete(absent)
    this.#isAsInTheBeginning = method === 'GET' && absent === undefined
  }

  async #makeAnew(): Promise<void> {
    await this.#delete('/v1/users/alice', '/v1/users/bob', '/v1/api-standards/my-provider')
    await this.#put('PUT', '/v1/users/alice', {})
    await this.#put('PUT', '/v1/users/bob', {})
    await this.#put('PUT', '/v1/api-standards/my-provider', standard)
    await this.#put('PUT', '/v1/llm-definitions/alice/my-model', service)
    await this.#put('PUT', '/v1/llm-services/alice/my-model', service)
    await this.#put('POST', '/v1/llm-services/alice/my-model/share', forBob)
    await this.#put('PUT', '/v1/projects/alice/verses', project)
    await this.#put('POST', '/v1/projects/alice/verses/share', forBob)
    // Another instance of the model: that of the verses can be deleted once they are.
    await this.#put('PUT', '/v1/llm-services/alice/of-psalms', service)
    await this.#put('PUT', '/v1/projects/alice/psalms', {
      ...project,
      instance_handle: 'of-psalms',
    })
    await this.#put('POST', '/v1/users/alice/keys', { key_handle: 'notebook', access: 'read' })
    const lines = (await readFile('test/swagger/verses.ndjson', 'utf8')).trim().split('\n')
    const items = lines.map((line) => ({
      ...JSON.parse(line),
      instance_handle: 'my-model',
      vector_dim: 3,
    }))
    await this.#put('POST', '/v1/embeddings/alice/verses', { embeddings: items })
  }

  async #put(method: string, path: string, body: object): Promise<void> {
    const status = await this.#send(method, path, JSON.stringify(body))
    if (status !== 201) throw new Error(`${method} ${path} was answered with ${status}`)
  }

  async #delete(...paths: string[]): Promise<void> {
    for (const path of paths) {
      const status = await this.#send('DELETE', path)
      if (status !== 200 && status !== 404) throw new Error(`DELETE ${path} was ${status}`)
    }
  }

  async #send(method: string, path: string, body?: string): Promise<number> {
    const { url, key } = this.#server
    const headers = { Authorization: `Bearer ${key}` }
    const answer = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) })
    await answer.arrayBuffer()
    return answer.status
  }
}
