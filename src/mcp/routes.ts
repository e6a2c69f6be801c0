import { createMcpHandler } from '@modelcontextprotocol/server'
import { type Context, Hono } from 'hono'
import { readAll } from '../http/body/read-body.ts'
import type { AppEnv } from '../http/env.ts'
import type { PublicUrl } from '../http/public-url.ts'
import { askFor, type Dispatch } from './ask.ts'
import { createTools } from './tools.ts'

/** A call has one question and at most 20 text_ids. */
const maxRequestBodySize = 64 * 1024

/**
 * Serves `/mcp`: tools for agents, over Streamable HTTP without sessions. Nothing is subscribed to,
 * since nothing changes.
 */
export function mcpRoutes(dispatch: Dispatch, publicUrl: PublicUrl) {
  const router = new Hono<AppEnv>()
  router.post('/mcp', async (c) => {
    const ask = askFor(c, dispatch)
    const server = () => createTools({ ask, urlOf: (path) => publicUrl(path, c.req) })
    let cause: Error | undefined
    const onerror = (error: Error) => {
      cause = error
    }
    const handler = createMcpHandler(server, { maxRequestBodySize, maxSubscriptions: 0, onerror })
    const { url, raw } = c.req
    const { method, headers, signal } = raw
    const body = await bodyOf(c)
    const answer = await handler.fetch(new Request(url, { method, headers, signal, body }))
    // It may quote what the client has sent, a key in a wrong place too, which observe.ts masks.
    if (answer.status < 500) c.set('detail', cause?.message)
    else c.get('server').log.error('MCP request failed', { id: c.get('requestId'), cause })
    return c.newResponse(answer.body, answer)
  })
  return router
}

/** Keeps to what holds for every body: the handler would wait for a slow one for ever. */
async function bodyOf(c: Context<AppEnv>): Promise<Buffer<ArrayBuffer>> {
  const room = c.get('server').bodyBudget.open({ kind: 'anonymous' })
  try {
    return await readAll(c.req, c.env?.body, maxRequestBodySize, room)
  } finally {
    room.release()
  }
}
