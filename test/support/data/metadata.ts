import { call } from '../client.ts'
import { embedding, type Project, unique } from '../factories.ts'

export const draft2020 = 'https://json-schema.org/draft/2020-12/schema'

/** A schema of which `a` must match the regular expression. */
export const pattern = (expression: string) => ({ properties: { a: { pattern: expression } } })

/** Sets the metadataScheme: what is no string is serialized first. */
export function setScheme({ owner, path }: Project, scheme: unknown) {
  const metadataScheme = typeof scheme === 'string' ? scheme : JSON.stringify(scheme)
  return call('PATCH', path(), { key: owner.key, body: { metadataScheme } })
}

/** Uploads one embedding with the metadata. */
export function uploadMetadata(
  { owner, path }: Project,
  metadata: unknown,
  text_id = unique('text'),
) {
  const body = { embeddings: [embedding(text_id, [1, 0, 0], { metadata })] }
  return call('POST', path('embeddings'), { key: owner.key, body })
}
