import { z } from '@hono/zod-openapi'
import { Handle, NewHandle, UserHandle } from './schemas.ts'

/** A parameter of a path, as the document describes it. */
const pathParam = <Schema extends z.ZodType>(schema: Schema, description: string): Schema =>
  schema.openapi({ param: { description } })

const user = pathParam(
  UserHandle,
  'Handle of the user, or of the owner of what the rest of the path names.',
)
const projectHandle = "Handle of the project, unique among its owner's."
const instanceHandle = "Handle of the instance, unique among its owner's."
const definitionHandle = "Handle of the definition, unique among its owner's."
const standardHandle = 'Handle of the API standard.'

/** One name for one thing in the paths of all operations; `new…` for what the request may create. */
export const userParams = z.object({ user })
export const projectParams = z.object({ user, project: pathParam(Handle, projectHandle) })
export const newProjectParams = z.object({ user, project: pathParam(NewHandle, projectHandle) })
export const instanceParams = z.object({ user, instance: pathParam(Handle, instanceHandle) })
export const newInstanceParams = z.object({ user, instance: pathParam(NewHandle, instanceHandle) })
export const definitionParams = z.object({ user, definition: pathParam(Handle, definitionHandle) })
export const newDefinitionParams = z.object({
  user,
  definition: pathParam(NewHandle, definitionHandle),
})
export const standardParams = z.object({ standard: pathParam(Handle, standardHandle) })
export const newStandardParams = z.object({ standard: pathParam(NewHandle, standardHandle) })

/** The user whose share is ended. */
export const granteeParam = {
  grantee: pathParam(UserHandle, 'Handle of the user who has the share.'),
}
