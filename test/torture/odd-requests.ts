import { setTimeout as sleep } from 'node:timers/promises'
import { HttpClient, type Outcome } from './http-client.ts'
import type { Load } from './load.ts'
import { adminKey } from './service.ts'
import { type Text, textOf } from './texts.ts'
import { instanceOf, owners, type World } from './world.ts'

const [owner] = owners
const dimensions = 16
const pauseMs = 20
const scheme = JSON.stringify({
  type: 'object',
  required: ['of'],
  properties: { of: { type: 'string', pattern: '^schemed' } },
})

interface Odd {
  readonly expected: number
  readonly method: string
  readonly path: string
  readonly body?: string
}

/** What the workers do not do: uploads held against a metadataScheme, and requests that are refused. */
export function startOddRequests({ url, tally }: World, random: () => number): Load {
  let stopping = false
  const path = `/v1/embeddings/${owner}/schemed`
  const upload = (text: Text, changes: object) =>
    JSON.stringify({
      embeddings: [{ ...text, instance_handle: 'schemed', vector_dim: dimensions, ...changes }],
    })
  const make = (number: number): Odd[] => {
    const textId = `schemed-${number}`
    const text = { ...textOf(textId, dimensions), metadata: { of: textId } }
    const post = { method: 'POST', path }
    const name = `${path}/${textId}`
    return [
      { ...post, expected: 201, body: upload(text, {}) },
      { ...post, expected: 409, body: upload(text, {}) },
      { ...post, expected: 400, body: upload(text, { text_id: 'other', metadata: { of: 'me' } }) },
      { ...post, expected: 400, body: upload(text, { vector_dim: 3 }) },
      { ...post, expected: 400, body: '{"embeddings":[{' },
      { expected: 404, method: 'GET', path: `${path}/missing-${number}` },
      { expected: 404, method: 'GET', path: `/v1/nothing/${number}` },
      { expected: 200, method: 'DELETE', path: name },
    ]
  }
  const run = async () => {
    await prepare(url, tally)
    for (let number = 0; !stopping; number += 1) {
      // Every other time over connections of their own.
      const client = new HttpClient(url, tally, random() < 0.5)
      for (const { expected, method, path, body } of make(number)) {
        const outcome = await client.call(method, path, { key: adminKey, body })
        check(outcome, expected, `${method} ${path}`)
      }
      const stranger = await client.call('GET', path, { key: `smb_${number}` })
      check(stranger, 401, 'an unknown key')
      client.close()
      await sleep(pauseMs)
    }
  }
  const check = ({ status, reason }: Outcome, expected: number, what: string) => {
    if (status === expected) return
    tally.violate('other violations', `${what}: ${status} ${reason}, not ${expected}`)
  }
  const running = run()
  return {
    stop: async () => {
      stopping = true
      await running
    },
  }
}

async function prepare(url: string, tally: World['tally']): Promise<void> {
  const client = new HttpClient(url, tally)
  const put = (path: string, body: object) =>
    client.call('PUT', path, { key: adminKey, body: JSON.stringify(body) })
  await put(`/v1/llm-services/${owner}/schemed`, instanceOf(dimensions))
  await put(`/v1/projects/${owner}/schemed`, {
    instance_owner: owner,
    instance_handle: 'schemed',
    metadataScheme: scheme,
  })
  client.close()
}
