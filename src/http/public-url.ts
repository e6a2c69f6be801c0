import type { HonoRequest } from 'hono'
import { getPath } from 'hono/utils/url'

/** The URL of a path of this service as the client of this request can reach it. */
export type PublicUrl = (path: string, request: HonoRequest) => string

const hostRule = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i

/** The path that all URLs of the service begin with, without a slash at its end; mostly empty. */
export const publicPathOf = (publicUrl = ''): string =>
  publicUrl === '' ? '' : new URL(publicUrl).pathname.replace(/\/$/, '')

const below = (publicPath: string, path: string): string =>
  path.startsWith(`${publicPath}/`) ? path.slice(publicPath.length) : path

/** Finds a request's path within the service: a proxy may pass the public path on, or take it away. */
export const createGetPath = (publicUrl: string | undefined) => {
  const publicPath = publicPathOf(publicUrl)
  return (request: Request): string => below(publicPath, getPath(request))
}

/**
 * @param publicUrl where clients reach the service; undefined if each request says so
 * @param trustProxy whether a proxy in front sets the X-Forwarded headers; otherwise anyone may
 *   have set them
 */
export function createPublicUrl(publicUrl: string | undefined, trustProxy: boolean): PublicUrl {
  const publicPath = publicPathOf(publicUrl)
  return (path, request) => {
    if (publicUrl !== undefined) return publicUrl + below(publicPath, path)
    const base = new URL(request.url)
    const origin = trustProxy ? forwardedOrigin(request, base) : base.origin
    return new URL(path, origin).href
  }
}

/** Ignores headers that are malformed. */
function forwardedOrigin(request: HonoRequest, { protocol, host, origin }: URL): string {
  const first = (name: string) => request.header(name)?.split(',', 1)[0]?.trim().toLowerCase() ?? ''
  const proto = first('x-forwarded-proto')
  const authority = first('x-forwarded-host')
  const scheme = proto === 'http' || proto === 'https' ? `${proto}:` : protocol
  const forwarded = `${scheme}//${hostRule.test(authority) ? authority : host}`
  return URL.canParse(forwarded) ? forwarded : origin
}
