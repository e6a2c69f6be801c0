import { createMcpHandler } from '@modelcontextprotocol/server'
import { Hono } from 'hono'
import type { AppEnv } from '../http/env.ts'
import type { PublicUrl } from '../http/public-url.ts'
import type { Log } from '../log.ts'
import { askFor, type Dispatch } from './ask.ts'
import { createTools } from './tools.ts'

/** A call has one question and at most 20 text_ids. */
const maxRequestBodySize = 64 * 1024

/**
 * Serves `/mcp`: tools for agents, over Streamable HTTP without sessions. Nothing is subscribed to,
 * since nothing changes.
 */
export function mcpRoutes(dispatch: Dispatch, publicUrl: PublicUrl, log: Log) {
  const router = new Hono<AppEnv>()
  router.post('/mcp', async (c) => {
    const ask = askFor(c, dispatch)
    const server = () => createTools({ ask, urlOf: (path) => publicUrl(path, c.req) })
    const id = c.get('requestId')
    const onerror = (cause: Error) => log.debug('MCP request refused', { id, cause })
    const handler = createMcpHandler(server, { maxRequestBodySize, maxSubscriptions: 0, onerror })
    const answer = await handler.fetch(c.req.raw)
    return c.newResponse(answer.body, answer)
  })
  return router
}
