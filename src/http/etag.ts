import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import type { ProjectWithCollection } from '../access/project.ts'
import type { AppEnv } from './env.ts'

/** What is the same for every request: compress.ts compresses its bytes once. */
export interface Lasting {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly tag: string
}

/** Weak, because compression changes the bytes. */
export const etagOf = (content: string | Uint8Array): string =>
  `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`

/** Of an answer that depends on a project's embeddings and on what was asked, and on nothing else. */
export function etagOfEmbeddings({ collection }: ProjectWithCollection, asked: object): string {
  const { collectionId, history, revision, addedAt } = collection
  return etagOf(JSON.stringify([collectionId, history, revision, addedAt, asked]))
}

/** For the document. */
export const etagHeader = {
  ETag: {
    description: 'Names this state. Sent back as If-None-Match, it asks for changes alone.',
    schema: { type: 'string' as const },
    example: 'W/"tkbmSqCzrCnGTTTA0NFmeA"',
  },
}
export const unchanged = { 304: { description: 'If-None-Match has the ETag of this state' } }

export const lasting = (content: string | Uint8Array): Lasting => ({
  bytes: new Uint8Array(Buffer.from(content)),
  tag: etagOf(content),
})

/** Whether the client has what it asks for already, by RFC 9110, 13.1.2. Sets the tag in either case. */
export function isKept(c: Context, tag: string): boolean {
  c.header('ETag', tag)
  const kept = c.req.header('If-None-Match')?.split(',') ?? []
  return kept.some(
    (each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === tag.slice(2),
  )
}

export function answerLasting(
  c: Context<AppEnv>,
  { bytes, tag }: Lasting,
  headers: Record<string, string>,
): Response {
  if (isKept(c, tag)) return c.body(null, 304, headers)
  c.set('isLasting', true)
  return c.body(bytes, 200, headers)
}
