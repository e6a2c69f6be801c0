import { z } from '@hono/zod-openapi'
import { keyAccesses } from '../../access/rules.ts'
import {
  closedObject,
  Description,
  NewUserHandle,
  oneOf,
  text,
  UserHandle,
} from '../../http/schemas.ts'
import { maxKeys } from './keys.ts'

/** Per key. */
const maxProjects = 100

const Access = oneOf(keyAccesses).describe(
  'read: reads, searches and exports. write: can also change data, but neither the account nor its keys.',
)
const projectName = text(201).regex(
  /^[^/]+\/[^/]+$/,
  'must be "owner/handle", such as alice/verses',
)
const Projects = z
  .array(projectName)
  .min(1, 'must name a project; leave it out for all')
  .max(maxProjects, `must name at most ${maxProjects} projects`)
  .openapi({
    description:
      'The only projects whose embeddings the key can use, as owner/handle; it can change, share and list nothing else. If omitted: all that the user may use.',
    example: ['alice/verses'],
  })
const ExpiresAt = z.iso
  .datetime({ error: 'must be a time in UTC, such as 2027-01-31T00:00:00Z' })
  .describe('When the key expires. If omitted, it never does.')
const KeyHandle = NewUserHandle.openapi({ example: 'notebook' })

export const NewKey = closedObject({
  key_handle: KeyHandle,
  description: Description.nullish(),
  access: Access,
  projects: Projects.optional(),
  expires_at: ExpiresAt.nullish(),
}).openapi('NewKey')

export const KeyPatch = closedObject({
  key_handle: z.string().optional(),
  access: Access.optional(),
  projects: z.array(z.string()).optional(),
  description: Description.nullish(),
  expires_at: ExpiresAt.nullish(),
}).openapi('KeyPatch')

export const Key = z
  .object({
    key_handle: UserHandle,
    description: Description.optional(),
    access: Access,
    projects: z
      .array(z.string())
      .optional()
      .describe('The only projects that the key can use, as far as the user may still read them.'),
    expires_at: z.iso.datetime().optional(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().optional().describe('Approximate, by some minutes.'),
  })
  .openapi('Key')

export const IssuedKey = Key.extend({
  api_key: z.string().describe('Shown only in this answer. Keep it safe.'),
}).openapi('IssuedKey')

export const Keys = z
  .object({ keys: z.array(Key).describe(`At most ${maxKeys}.`) })
  .openapi('UserKeys')

export const exampleNewKey = {
  key_handle: 'notebook',
  description: 'For the seminar',
  access: 'read' as const,
  projects: ['alice/verses'],
  expires_at: '2099-01-31T00:00:00.000Z',
}

const exampleKey = {
  ...exampleNewKey,
  created_at: '2026-11-21T20:25:06.000Z',
}

export const exampleUsedKey = { ...exampleKey, last_used_at: '2026-11-23T08:12:40.000Z' }

export const exampleIssuedKey = {
  ...exampleKey,
  api_key: 'smb_00000000000000000000000000000000000000000006tu5Xg',
}
