import { z } from '@hono/zod-openapi'
import { llmServiceFields } from '../definitions/schemas.ts'
import { includeParameter, vectorFormat } from '../embeddings/schemas.ts'
import { UploadItem } from '../embeddings/upload/schemas.ts'
import { filterParameter } from '../filters/schemas.ts'
import { Description, NewHandle, text } from '../http/schemas.ts'
import { maxSchemeBytes } from '../metadata-schemes/metadata-schemes.ts'
import { ReadingOrder } from '../projects/schemas.ts'

const formats = ['ndjson', 'semblance'] as const
export type Format = (typeof formats)[number]

export const exportQuery = z.object({
  format: z
    .enum(formats, { error: `format must be ${formats.join(' or ')}` })
    .optional()
    .openapi({
      type: 'string',
      description:
        'ndjson (default): one line of JSON per embedding, which can be uploaded unchanged. semblance: the whole project in one file, for an import elsewhere.',
    }),
  filter: filterParameter,
  include: includeParameter('Default: all of them.'),
  vector_format: vectorFormat,
})

/** All but the format is for NDJSON only: semblance files are always complete. */
export type ExportRequest = z.output<typeof exportQuery> & { readonly format: Format }

/** The first line of a semblance file; see docs/portable-file.md. */
export const Manifest = z.object({
  semblance: z.literal(1),
  project: z.object({
    description: Description.nullable(),
    metadataScheme: text(maxSchemeBytes).nullable(),
    reading_order: ReadingOrder.optional(),
  }),
  instance: z
    .object({
      instance_handle: NewHandle,
      // Absent if whoever exported the file was not allowed to read the instance.
      endpoint: llmServiceFields.endpoint.optional(),
      api_standard: llmServiceFields.api_standard.optional(),
      model: llmServiceFields.model,
      dimensions: llmServiceFields.dimensions,
    })
    .nullable(),
  embeddings: z.int().min(0),
})
export type FileManifest = z.output<typeof Manifest>

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

/**
 * Accepts only valid times in their one canonical form: neither February 30 nor 24:00. PostgreSQL
 * has no year 0.
 */
function isTime(value: string): boolean {
  if (!time.test(value) || value.startsWith('0000')) return false
  const toMillisecond = `${value.slice(0, -4)}Z`
  const date = new Date(toMillisecond)
  return !Number.isNaN(date.getTime()) && date.toISOString() === toMillisecond
}

export const FileLine = UploadItem.pick({ text_id: true, text: true, metadata: true }).extend({
  created_at: z.string().refine(isTime, 'must be a time such as 2026-11-21T20:25:06.123456Z'),
  vector: z.string(),
})

export const FileEnd = z.object({ embeddings: z.int().min(0), sha256: z.string() })

export const importQuery = z.object({
  instance_owner: text(100)
    .optional()
    .describe('Owner of the instance for the project. Default: the owner of the project.'),
  instance_handle: text(100)
    .optional()
    .describe(
      "The instance for the project, which must have the file's model and dimensions. By default, the instance described in the file is created, with its handle and without a key; an existing instance with this handle is used if it has the same endpoint, API standard, model and dimensions.",
    ),
})

export const exampleFile = `{"semblance":1,"project":{"description":"Verses of the four gospels","metadataScheme":null},"instance":{"instance_handle":"my-model","endpoint":"https://provider-a.example/v1/embeddings","api_standard":"provider-a","model":"small","dimensions":3},"embeddings":1}
{"text_id":"matthew-5-3","created_at":"2026-11-21T20:25:06.123456Z","text":"Blessed are the poor in spirit","metadata":{"ref": {"book": "Matthew", "verse": 3, "chapter": 5}},"vector":"AACAPgAAAL8AAEA/"}
{"embeddings":1,"sha256":"fb7bda4c9b8c49ddebd70e4e385dfce299981506bd4f23bd246da42398c848a8"}
`

export const exampleImportAnswer = `{"stored":1000,"embeddings":3779}
{"message":"Project 'alice/verses' imported","embeddings":3779,"project":{"project_id":1,"project_handle":"verses","owner":"alice","public_read":false}}
`
