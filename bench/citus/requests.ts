import { type Project, upTo } from '../api.ts'
import { freshPrefix, type HttpJob } from '../jobs.ts'
import { vectorBody } from '../parts/besides.ts'
import type { Shape } from './cluster.ts'
import { generator, uploadOf } from './projects.ts'

export type Requests = Pick<HttpJob, 'requests' | 'expected'>

/** Vectors that are searched for in each project. */
const sought = 4

/** One project after the other, so that all workers are asked at any time. */
export function searchesIn(projects: readonly Project[], vectors: number): Requests {
  const unused = projects.length * vectors
  const requests = upTo(sought * projects.length).flatMap((at) => {
    const project = projects[at % projects.length]
    const body = Buffer.from(vectorBody(generator.vectorAt(unused + at)))
    return project === undefined
      ? []
      : { method: 'POST' as const, path: `${project.similars}?threshold=0`, body }
  })
  return { expected: 200, requests }
}

export const listsOf = (projects: readonly Project[]): Requests => ({
  expected: 200,
  requests: projects.map(({ embeddings }) => ({ method: 'GET', path: `${embeddings}?limit=10` })),
})

/** Each upload has text_ids of its own. */
export const uploadsTo = (projects: readonly Project[], count: number): Requests => ({
  expected: 201,
  requests: projects.map((project) => {
    const textIdOf = (index: number) => `${freshPrefix}-${count}-${String(index).padStart(4, '0')}`
    const body = Buffer.from(uploadOf(project, upTo(count), textIdOf))
    return { method: 'POST', path: project.embeddings, body }
  }),
})

export const jobOf = (
  { owner: { server, key } }: Shape,
  { requests, expected }: Requests,
): HttpJob => ({ kind: 'http', url: server.url, key, expected, requests })
