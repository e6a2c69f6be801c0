import { z } from 'zod'
import { describe, type Generator, toJson } from './data.ts'
import type { Server } from './server.ts'

const owner = 'bench'
const requestMs = 120_000

const User = z.object({ api_key: z.string() })
const CreatedProject = z.object({ project_id: z.number() })
const Found = z.object({ results: z.array(z.object({ id: z.string() })) })

export type Owner = Awaited<ReturnType<typeof createOwner>>

export interface Project {
  readonly projectId: number
  /** Of the project and of its instance. */
  readonly handle: string
  readonly dimensions: number
  /** Paths. */
  readonly embeddings: string
  readonly similars: string
}

/** A user of the server, whose projects the bench works with. */
export async function createOwner(server: Server) {
  const user = await call(server.url, server.adminKey, 'PUT', `/v1/users/${owner}`, '{}')
  const { api_key: key } = User.parse(user.answer)
  const put = (path: string, body: object) =>
    call(server.url, key, 'PUT', path, JSON.stringify(body))

  return {
    server,
    key,
    /** A project with an instance of its own. */
    async createProject(handle: string, dimensions: number): Promise<Project> {
      await put(`/v1/llm-services/${owner}/${handle}`, {
        endpoint: 'https://provider-a.example/v1/embeddings',
        api_standard: 'provider-a',
        model: handle,
        dimensions,
      })
      const project = { instance_owner: owner, instance_handle: handle }
      const { answer } = await put(`/v1/projects/${owner}/${handle}`, project)
      return {
        projectId: CreatedProject.parse(answer).project_id,
        handle,
        dimensions,
        embeddings: `/v1/embeddings/${owner}/${handle}`,
        similars: `/v1/similars/${owner}/${handle}`,
      }
    },
    upload: ({ embeddings }: Project, body: string) =>
      call(server.url, key, 'POST', embeddings, body),
    /** By id, or with a body by vector. @returns the text_ids found, and how */
    async search(path: string, body?: string) {
      const method = body === undefined ? 'GET' : 'POST'
      const { answer, headers } = await call(server.url, key, method, path, body)
      const mode = headers.get('x-search-mode') === 'approximate' ? 'approximate' : 'exact'
      return { mode, ids: Found.parse(answer).results.map(({ id }) => id) } as const
    },
  }
}

/** One request by itself, whose answer matters. @throws on a status that is no success */
export async function call(
  url: string,
  key: string,
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(requestMs),
    ...(body !== undefined && { body }),
  })
  if (!response.ok)
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  const answer: unknown = await response.json()
  return { answer, headers: response.headers }
}

/** The body that uploads these embeddings. */
export function uploadBody(
  project: Project,
  generator: Generator,
  indexes: readonly number[],
  textIdOf = (index: number) => describe(index).textId,
): string {
  const items = uploadItems(project, generator, indexes, textIdOf, toJson)
  return `{"embeddings":[${items.join(',')}]}`
}

/** Each of them as JSON, with its vector as `vectorText` writes it. */
export function uploadItems(
  { handle, dimensions }: Project,
  { vectorAt }: Generator,
  indexes: readonly number[],
  textIdOf: (index: number) => string,
  vectorText: (vector: Float32Array) => string,
): string[] {
  return indexes.map((index) => {
    const { metadata, text } = describe(index)
    const item = { text_id: textIdOf(index), instance_handle: handle, vector_dim: dimensions }
    const head = JSON.stringify({ ...item, metadata, text }).slice(0, -1)
    return `${head},"vector":${vectorText(vectorAt(index))}}`
  })
}

export const upTo = (length: number) => Array.from({ length }, (_, index) => index)
