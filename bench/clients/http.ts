import { Agent, request as httpRequest } from 'node:http'
import type { Client, HttpJob, HttpRequest } from '../jobs.ts'
import { renewIds } from './fresh-ids.ts'

/** A client with a connection of its own. Plain node:http, as fetch costs more than some answers. */
export function httpClient(job: HttpJob, seat: number): Client {
  const { hostname, port } = new URL(job.url)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = {
    authorization: `Bearer ${job.key}`,
    'content-type': job.contentType ?? 'application/json',
  }
  const own = job.requests.map(({ body, ...request }) => ({
    ...request,
    ...(body !== undefined && { body: Buffer.from(body) }),
  }))
  const renewals = own.map(({ body }) => renewIds(body, seat))
  let turn = seat

  const send = (request: HttpRequest, retry: boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const { method, path, body } = request
      const length = body === undefined ? {} : { 'content-length': body.byteLength }
      const options = { hostname, port, method, path, agent, headers: { ...headers, ...length } }
      const outgoing = httpRequest(options, (incoming) => {
        const { holds } = job
        const expected = incoming.statusCode === job.expected
        let text = ''
        // Read to its end, but looked at only where the status is not enough.
        incoming.on('data', (chunk: Buffer) => {
          if (!expected || holds !== undefined) text += chunk.toString()
        })
        incoming.on('error', reject)
        incoming.on('end', () => {
          if (expected && (holds === undefined || text.includes(holds))) resolve()
          else reject(new Error(`${method} ${path}: ${incoming.statusCode} ${text.slice(0, 500)}`))
        })
      })
      outgoing.on('error', (error) => {
        // The server had closed the idle connection.
        if (retry && outgoing.reusedSocket) send(request, false).then(resolve, reject)
        else reject(error)
      })
      outgoing.end(body)
    })

  return () => {
    const at = turn % own.length
    turn += 1
    const request = own[at]
    if (request === undefined) throw new Error('a job needs requests')
    renewals[at]?.()
    return send(request, true)
  }
}
