import { z } from '@hono/zod-openapi'
import { oneOf, text, UserHandle } from '../http/schemas.ts'

export const RoleSchema = oneOf(['reader', 'editor']).describe(
  'What the user may do. Sharing cannot grant `owner`.',
)

export const Share = z.object({ user_handle: UserHandle, role: RoleSchema }).openapi('Share')

export const ShareRequest = z
  .object({ share_with_handle: text(100), role: RoleSchema })
  .openapi('ShareRequest')

export const exampleShare = { user_handle: 'bob', role: 'reader' as const }
export const exampleShareRequest = { share_with_handle: 'bob', role: 'reader' as const }
