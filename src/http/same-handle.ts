import { badRequest } from '../errors.ts'

/**
 * The handle that a PUT or PATCH is about: the path's, which the body may repeat but not change.
 * @throws 400 when the body names another one
 */
export function sameHandle(field: string, inPath: string, inBody: string | undefined): string {
  if (inBody === undefined || inBody === inPath) return inPath
  throw badRequest(`${field}: must be '${inPath}' as in the path; handles cannot be changed`)
}
