import type { HonoRequest } from 'hono'

/** The URL of a path of this service as the client of this request can reach it. */
export type PublicUrl = (path: string, request: HonoRequest) => string

const hostRule = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i

/**
 * @param trustProxy whether a proxy in front sets the X-Forwarded headers; otherwise anyone may
 *   have set them
 */
export function createPublicUrl(trustProxy: boolean): PublicUrl {
  return (path, request) => {
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
