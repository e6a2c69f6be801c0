import type { IncomingMessage, ServerResponse } from 'node:http'
import { startLocalHttp } from './local-http.ts'

/** A request as the provider got it. */
interface Received {
  readonly url: string
  readonly headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: bodies of three forms
  readonly body: any
}

export type Respond = (response: ServerResponse, received: Received) => void

/** Some directions in the plane, so that words have similarities that are known. */
export const directions: Readonly<Record<string, readonly number[]>> = {
  north: [0, 1],
  east: [1, 0],
  'north-east': [1, 1],
}
export const directionOf = (text: string) => directions[text] ?? [text.length, 1]

export const answerJson = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify(body))
}

/** Answers as OpenAI does, in an order of its own. */
export const openai: Respond = (response, { body }) => {
  const data = body.input.map((text: string, index: number) => ({
    object: 'embedding',
    index,
    embedding: directionOf(text),
  }))
  answerJson(response, 200, { object: 'list', data: data.reverse(), model: body.model })
}

/** A provider of embeddings that a test has to itself. @param respond may be changed later */
export async function startProvider(respond: Respond = openai) {
  const received: Received[] = []
  const provider = { respond, received, url: '', port: 0 }
  const port = await startLocalHttp(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    const entry = { url: request.url ?? '', headers: request.headers, body }
    received.push(entry)
    provider.respond(response, entry)
  })
  provider.port = port
  provider.url = `http://127.0.0.1:${provider.port}/v1/embeddings`
  return provider
}
