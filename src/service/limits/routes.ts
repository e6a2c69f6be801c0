import { z } from '@hono/zod-openapi'
import { maxDimensions } from '../../definitions/schemas.ts'
import { maxMetadataBytes, maxMetadataDepth } from '../../embeddings/metadata.ts'
import { maxTextBytes, maxTextId } from '../../embeddings/schemas.ts'
import { maxItems, maxItemValues } from '../../embeddings/upload/body/split.ts'
import {
  maxFilterCharacters,
  maxFilterDepth,
  maxFilterNodes,
  maxFilterValues,
  maxMetadataValues,
} from '../../filters/parse.ts'
import { bodyLimits, contentEncodings } from '../../http/body/read-body.ts'
import { minBytesPerSecond } from '../../http/body/received-chunks.ts'
import { createRouter, operation } from '../../http/operation.ts'
import { anyone } from '../../http/permission.ts'
import { json, maxOffset, maxPage, pageOf } from '../../http/schemas.ts'
import { maxValues } from '../../json/parse.ts'
import { mapLimits } from '../../maps/limits.ts'
import { maxSchemeBytes } from '../../metadata-schemes/metadata-schemes.ts'
import { neighbourLimits } from '../../neighbours/limits.ts'
import { maxSearches } from '../../search/batch/schemas.ts'

/** Limits that the configuration sets. */
interface ConfiguredLimits {
  readonly maxBodyBytes: number
  /** Requests a minute with one user's key; 0 for no limit. */
  readonly rateLimit: number
  /**
   * The number of components (vectors × dimensions) above which an exact search no longer completes
   * the results of an index.
   */
  readonly maxScan: number
}

const Limits = z
  .object({
    max_body_bytes: z
      .int()
      .openapi({ description: 'The maximum size of an embeddings upload, after decompression.' }),
    max_other_body_bytes: z
      .int()
      .openapi({ description: 'The maximum size of any other request body, after decompression.' }),
    max_body_bytes_in_flight: z.int().openapi({
      description:
        'The maximum total size of all bodies being read and processed. One user may take at most half of it, and all callers without a key a quarter together. Above it, the answer is 503 with Retry-After.',
    }),
    min_body_bytes_per_second: z.int().openapi({
      description: 'The minimum speed. A body that falls 10 seconds behind is answered with 408.',
    }),
    max_values: z.int().openapi({
      description:
        'The maximum number of object members, array elements, objects and arrays in a body, except within the items of an upload or of a batch of searches.',
    }),
    max_item_values: z
      .int()
      .openapi({ description: 'The same within one item or line, except its vector.' }),
    content_encodings: z.array(z.string()).openapi({ description: 'Allowed for request bodies.' }),
    max_embeddings_per_upload: z.int().openapi({
      description:
        'Per upload in JSON. Good sizes are 100 to 1000; uploads in lines have no limit.',
    }),
    max_dimensions: z.int(),
    max_text_id_characters: z.int(),
    max_text_bytes: z.int().openapi({ description: 'In UTF-8.' }),
    max_metadata_bytes: z.int(),
    max_metadata_depth: z.int(),
    max_metadata_scheme_bytes: z.int(),
    default_limit: z.int().openapi({ description: 'For pages of lists and for search results.' }),
    max_limit: z.int(),
    max_offset: z.int(),
    max_scan_components: z.int().openapi({
      description:
        'The number of components (vectors × dimensions) of a project above which a search returns a shorter page if its index cannot fill it. exact=true searches any project completely.',
    }),
    max_filter_depth: z.int(),
    max_filter_conditions: z.int(),
    max_filter_values: z.int().openapi({
      description: 'The maximum number of values in a filter. Fewer are allowed for metadata.',
    }),
    max_filter_metadata_values: z.int(),
    max_filter_characters: z
      .int()
      .openapi({ description: 'The maximum length of all texts among the values.' }),
    max_searches_per_batch: z.int(),
    max_neighbours_components: z.int().openapi({
      description:
        'The number of components (vectors × dimensions) up to which neighbours are found exactly, by comparing all embeddings with each other. max_neighbours_embeddings is the same limit in vectors.',
    }),
    max_neighbours_embeddings: z.int(),
    max_map_embeddings: z.int().openapi({
      description: 'The largest number of embeddings for which a map can be computed.',
    }),
    requests_per_minute: z.int().optional().openapi({
      description:
        "The limit for one user's keys together. Above it, the answer is 429 with Retry-After. Absent if there is no limit.",
    }),
  })
  .openapi('Limits')

function limitsOf({ maxBodyBytes, rateLimit, maxScan }: ConfiguredLimits): z.output<typeof Limits> {
  const { bulk, usual, inFlight } = bodyLimits(maxBodyBytes)
  return {
    max_body_bytes: bulk,
    max_other_body_bytes: usual,
    max_body_bytes_in_flight: inFlight,
    min_body_bytes_per_second: minBytesPerSecond,
    max_values: maxValues,
    max_item_values: maxItemValues,
    content_encodings: [...contentEncodings],
    max_embeddings_per_upload: maxItems,
    max_dimensions: maxDimensions,
    max_text_id_characters: maxTextId,
    max_text_bytes: maxTextBytes,
    max_metadata_bytes: maxMetadataBytes,
    max_metadata_depth: maxMetadataDepth,
    max_metadata_scheme_bytes: maxSchemeBytes,
    default_limit: pageOf({}).limit,
    max_limit: maxPage,
    max_offset: maxOffset,
    max_scan_components: maxScan,
    max_filter_depth: maxFilterDepth,
    max_filter_conditions: maxFilterNodes,
    max_filter_values: maxFilterValues,
    max_filter_metadata_values: maxMetadataValues,
    max_filter_characters: maxFilterCharacters,
    max_searches_per_batch: maxSearches,
    max_neighbours_components: neighbourLimits.components,
    max_neighbours_embeddings: neighbourLimits.vectors,
    max_map_embeddings: mapLimits.texts,
    ...(rateLimit > 0 && { requests_per_minute: rateLimit }),
  }
}

const example = limitsOf({
  maxBodyBytes: 64 * 1024 * 1024,
  rateLimit: 600,
  maxScan: 10_000_000_000,
})

const getLimits = operation(anyone, {
  method: 'get',
  path: '/v1/limits',
  operationId: 'getLimits',
  summary: 'The limits of this server',
  description: 'For clients that choose the size of their requests. Needs no key.',
  tags: ['Service'],
  responses: { 200: json(Limits, 'The limits', example) },
})

export function limitRoutes(configured: ConfiguredLimits) {
  const router = createRouter()
  const limits = limitsOf(configured)
  router.openapi(getLimits, (c) => c.json(limits, 200))
  return router
}
