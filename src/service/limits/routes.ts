import { z } from '@hono/zod-openapi'
import { maxDimensions } from '../../definitions/schemas.ts'
import { maxMetadataBytes, maxMetadataDepth } from '../../embeddings/metadata.ts'
import { maxTextBytes, maxTextId } from '../../embeddings/schemas.ts'
import { maxItems, maxItemValues } from '../../embeddings/upload/body/split.ts'
import { bodyLimits, contentEncodings } from '../../http/body/read-body.ts'
import { minBytesPerSecond } from '../../http/body/received-chunks.ts'
import { createRouter, get } from '../../http/operation.ts'
import { anyone } from '../../http/permission.ts'
import { json, maxOffset, maxPage, pageOf } from '../../http/schemas.ts'
import { maxValues } from '../../json/parse.ts'
import { mapLimits } from '../../maps/limits.ts'
import { maxSchemeBytes } from '../../metadata-schemes/metadata-schemes.ts'
import { neighbourLimits } from '../../neighbours/limits.ts'
import { maxSearches } from '../../search/batch/schemas.ts'

/** Limits that the configuration sets, as the answer describes them. */
interface ConfiguredLimits {
  readonly maxBody: number
  /** 0 for no limit. */
  readonly rateLimit: number
  readonly maxScan: number
}

const limit = (description: string) => z.int().describe(description)

const Limits = z
  .object({
    max_body_bytes: limit('The size of an embeddings upload, after decompression.'),
    max_other_body_bytes: limit('The size of any other request body, after decompression.'),
    max_body_bytes_in_flight: limit(
      'The size of all bodies being read and processed; one user may take half of it, and all callers without a key a quarter. Above it, the answer is 503 with Retry-After.',
    ),
    min_body_bytes_per_second: limit('A body that falls 10 seconds behind is answered with 408.'),
    max_values: limit('Members, elements, objects and arrays in a body outside of its items.'),
    max_item_values: limit('The same within one item or line, except its vector.'),
    content_encodings: z.array(z.string()).describe('Allowed for request bodies.'),
    max_embeddings_per_upload: limit('In JSON. Uploads in lines have no limit.'),
    max_dimensions: z.int(),
    max_text_id_characters: z.int(),
    max_text_bytes: limit('In UTF-8.'),
    max_metadata_bytes: z.int(),
    max_metadata_depth: z.int(),
    max_metadata_scheme_bytes: z.int(),
    default_limit: limit('For pages of lists and for search results.'),
    max_limit: z.int(),
    max_offset: z.int(),
    max_scan_components: limit(
      'The components (vectors × dimensions) of a project above which a search returns a shorter page if its index cannot fill it. exact=true searches any project completely.',
    ),
    max_searches_per_batch: z.int(),
    max_neighbours_components: limit(
      'The components (vectors × dimensions) up to which neighbours are found exactly.',
    ),
    max_neighbours_embeddings: limit('The same limit in embeddings.'),
    max_map_embeddings: z.int(),
    requests_per_minute: limit("For one user's keys together; absent if there is none.").optional(),
  })
  .openapi('Limits')

function limitsOf({ maxBody, rateLimit, maxScan }: ConfiguredLimits): z.output<typeof Limits> {
  const { bulk, usual, inFlight } = bodyLimits(maxBody)
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
    max_searches_per_batch: maxSearches,
    max_neighbours_components: neighbourLimits.components,
    max_neighbours_embeddings: neighbourLimits.vectors,
    max_map_embeddings: mapLimits.texts,
    ...(rateLimit > 0 && { requests_per_minute: rateLimit }),
  }
}

const example = limitsOf({
  maxBody: 64 * 1024 * 1024,
  rateLimit: 600,
  maxScan: 10_000_000_000,
})

const getLimits = get(anyone, '/v1/limits', {
  operationId: 'getLimits',
  summary: 'The limits of this server',
  description: 'For clients that choose the size of their requests.',
  responses: { 200: json(Limits, 'The limits', example) },
})

export function limitRoutes(configured: ConfiguredLimits) {
  const router = createRouter()
  const limits = limitsOf(configured)
  router.openapi(getLimits, (c) => c.json(limits, 200))
  return router
}
