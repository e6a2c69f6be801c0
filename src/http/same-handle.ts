import { badRequest } from '../errors.ts'

/**
 * The handle that a PUT or PATCH is about. The body may repeat the path's handle but not change it.
 * @throws 400 if the body has another handle
 */
export function sameHandle(field: string, inPath: string, inBody: string | undefined): string {
  if (inBody === undefined || inBody === inPath) return inPath
  throw badRequest(`${field}: must be '${inPath}' as in the path; handles cannot be changed`)
}
