import { z } from '@hono/zod-openapi'
import { badRequest } from '../errors.ts'
import { Handle, NewHandle, UserHandle } from './schemas.ts'

/** Describes a path parameter for the document. The page /docs fills in the example. */
const pathParam = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example: z.input<Schema>,
): Schema => schema.openapi({ param: { description, example } })

const user = pathParam(
  UserHandle,
  'Handle of the user, or of the owner of the resource in the rest of the path.',
  'alice',
)
const project = ["Handle of the project, unique among its owner's projects.", 'verses'] as const
const instance = [
  "Handle of the instance, unique among its owner's instances.",
  'my-model',
] as const
const definition = [
  "Handle of the definition, unique among its owner's definitions.",
  'my-model',
] as const
const standard = ['Handle of the API standard.', 'my-provider'] as const

/**
 * Each thing has one parameter name in all paths. `new…` is for handles that a request may create.
 */
export const userParams = z.object({ user })
export const projectParams = z.object({ user, project: pathParam(Handle, ...project) })
export const newProjectParams = z.object({ user, project: pathParam(NewHandle, ...project) })
export const instanceParams = z.object({ user, instance: pathParam(Handle, ...instance) })
export const newInstanceParams = z.object({ user, instance: pathParam(NewHandle, ...instance) })
export const definitionParams = z.object({ user, definition: pathParam(Handle, ...definition) })
export const newDefinitionParams = z.object({
  user,
  definition: pathParam(NewHandle, ...definition),
})
export const standardParams = z.object({ standard: pathParam(Handle, ...standard) })
export const newStandardParams = z.object({ standard: pathParam(NewHandle, ...standard) })

export const keyParams = z.object({
  user,
  key_handle: pathParam(UserHandle, "Handle of the key, unique among its user's keys.", 'notebook'),
})

/**
 * The handle that a PUT or PATCH is about. The body may repeat the path's handle but not change it.
 * @throws 400 if the body has another handle
 */
export function sameHandle(field: string, inPath: string, inBody: string | undefined): string {
  if (inBody === undefined || inBody === inPath) return inPath
  throw badRequest(`${field}: must be '${inPath}' as in the path; handles cannot be changed`)
}

/** The user whose share is ended. */
export const granteeParam = {
  grantee: pathParam(UserHandle, 'Handle of the user who has the share.', 'bob'),
}
