import type { OpenAPIHono } from '@hono/zod-openapi'
import { stringify } from 'yaml'
import { answerComponents } from '../../http/declared-answers.ts'
import type { AppEnv } from '../../http/env.ts'
import { linesType } from '../../json/lines-type.ts'
import { version } from '../../version.ts'

const description = `Stores vector embeddings of texts for many users and projects, and finds the texts that are similar to one of them or to a vector. It computes no embeddings: those come from a model of your choice.

- - Bodies are read as JSON regardless of Content-Type, except uploads in lines (${linesType}) and imports, which may have any length. They may be compressed with Content-Encoding gzip or deflate.
- Unless configured otherwise, uploads of embeddings and batches of searches may have 64 MiB, other bodies 1 MiB. \`GET /v1/limits\` shows these limits and the maximum number of values.
- Answers above 1 KiB are compressed with gzip if Accept-Encoding allows it.
- Unknown fields are ignored in descriptions of resources (uploads list them in their answer), and refused in searches, deletions and comparisons.
- Every error answer is \`{title, status, detail}\` with the media type \`application/problem+json\`.
- PUT replaces all own fields of a resource, PATCH changes the given fields, and \`null\` clears an optional one.
- Sending a parameter's default value has no effect.

Clients generated from this document return lines and files as text or bytes. If a generator leaves out a media type it does not know, its client still returns the bytes of the answer. For requests that a generated client cannot send, such as an import, use any HTTP client.

The Python client, in the folder \`clients/python\` of the repository, also resumes uploads, and reads and writes tables and Parquet files.`

export type OpenApiDocument = ReturnType<typeof openApiDocument>

/**
 * In the order in which the documentation shows them, with the most used first. An operation
 * belongs to the first whose `paths` match.
 */
const tags = [
  {
    name: 'Similarity search',
    description: 'Search by a stored text, a vector or words.',
    paths: /^\/v1\/(similars|schemas)(\/|$)|\/map$/,
  },
  {
    name: 'Embeddings',
    description: 'Vectors with their texts and metadata.',
    paths: /^\/v1\/embeddings\/|\/(count|statistics|fields)$/,
  },
  {
    name: 'Projects',
    description: 'Sets of embeddings, and who may use them.',
    paths: /^\/v1\/projects/,
  },
  {
    name: 'LLM service instances',
    description: "A user's embedding services.",
    paths: /^\/v1\/llm-services/,
  },
  {
    name: 'LLM service definitions',
    description: 'Templates for instances, without keys.',
    paths: /^\/v1\/llm-definitions/,
  },
  {
    name: 'API standards',
    description: 'How a key is presented to an embedding provider.',
    paths: /^\/v1\/api-standards/,
  },
  {
    name: 'Users',
    description: 'Accounts, each with an API key.',
    paths: /^\/v1\/(users|me)/,
  },
  {
    name: 'Service',
    description: 'Health, limits, metrics, data checks and backups.',
    paths: /^/,
  },
]

const tagOf = (path: string) => tags.find(({ paths }) => paths.test(path))?.name ?? ''

/** With the SPDX identifier, which client generators require. */
const license = { name: 'MIT', identifier: 'MIT' }

/** @param publicPath what all paths begin with for clients */
export function openApiDocument(app: OpenAPIHono<AppEnv>, publicPath: string) {
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: "A user's API key, or the administrator key.",
  })
  for (const kind of ['headers', 'responses'] as const) {
    for (const [name, component] of Object.entries(answerComponents[kind])) {
      app.openAPIRegistry.registerComponent(kind, name, component)
    }
  }
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Semblance', version, description, license },
    servers: [{ url: publicPath || '/', description: 'This server' }],
    tags: tags.map(({ name, description }) => ({ name, description })),
  })
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of ['get', 'put', 'post', 'patch', 'delete'] as const) {
      const operation = item[method]
      if (operation !== undefined) operation.tags = [tagOf(path)]
    }
  }
  return document
}

/**
 * Quotes for YAML 1.1 too, which most Python and Java libraries read. To them, an unquoted `off` is
 * false.
 */
export const printYaml = (document: object): string =>
  stringify(document, { aliasDuplicateObjects: false, compat: 'yaml-1.1' })
