import { describe, expect, it, onTestFinished } from 'vitest'
import { adminKey } from '../support/app.ts'
import {
  difference,
  type Example,
  examplesOf,
  guideEmbeddings,
  guidePages,
  linesOf,
} from '../support/guide.ts'
import { startOwnService } from '../support/servers/own-service.ts'

/*
 * Sends the requests that the pages of docs/guide/ show, in their order, one page after another on a service of
 * its own with the user `alice`, her instance `my-model` (3 dimensions), and her project `verses` with
 * docs/guide/verses.ndjson.
 *
 * A request is a block of `http`: the method and the path, header fields, an empty line, a body. Alice's key is
 * sent with it unless it has an Authorization; its Content-Type is JSON unless it says so. The next block, where it
 * is `json`, or `ndjson` with a value on each line, is what must be answered. There … in a string stands for any
 * text, and alone for any value; as a key, or as the last element of a list, for more of them. A number with
 * decimals is shown rounded. An answer that is shown with `"status": 4xx` has that status, all others succeed.
 */

type Service = Awaited<ReturnType<typeof startOwnService>>

async function startGuide() {
  const service = await startOwnService()
  onTestFinished(() => service.close())
  const user = await send(service, adminKey, request('PUT', '/v1/users/alice', '{}'))
  const { api_key: key } = JSON.parse(user.text)
  const instance = {
    endpoint: 'https://provider-a.example/v1/embeddings',
    api_standard: 'provider-a',
    model: 'small',
    dimensions: 3,
  }
  const project = { instance_owner: 'alice', instance_handle: 'my-model' }
  const set = (path: string, body: object) =>
    send(service, key, request('PUT', path, JSON.stringify(body)))
  await set('/v1/llm-services/alice/my-model', instance)
  await set('/v1/projects/alice/verses', project)
  const body = JSON.stringify({ embeddings: linesOf(guideEmbeddings()) })
  const { status } = await send(service, key, request('POST', '/v1/embeddings/alice/verses', body))
  expect(status).toBe(201)
  return { service, key }
}

const request = (method: string, path: string, body: string) => ({
  method,
  path,
  body,
  headers: {},
})

async function send(
  { app }: Service,
  key: string,
  { method, path, body, headers }: Pick<Example, 'method' | 'path' | 'body' | 'headers'>,
) {
  const answer = await app.request(path, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body !== '' && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== '' && { body }),
  })
  return { status: answer.status, text: await answer.text() }
}

/** Of a problem that is shown, its status. */
function statusIn(answer: unknown): number | undefined {
  const status =
    typeof answer === 'object' && answer !== null && 'status' in answer && answer.status
  return typeof status === 'number' ? status : undefined
}

describe('the guide', () => {
  it.each(guidePages)('%s shows requests as they are answered', async (page) => {
    const examples = examplesOf(page)
    expect(examples.length).toBeGreaterThan(0)
    const { service, key } = await startGuide()
    const wrong: string[] = []
    for (const example of examples) {
      const { line, method, path, answer } = example
      const { status, text } = await send(service, key, example)
      const failed = (what: string | undefined) => {
        if (what !== undefined) wrong.push(`${page}:${line} ${method} ${path}: ${what}`)
      }
      const expected = statusIn(answer?.[0])
      const isRight = expected === undefined ? status < 300 : status === expected
      if (!isRight) failed(`${status} ${text}`)
      else if (answer !== undefined)
        failed(difference(answer, answer.length > 1 ? linesOf(text) : [JSON.parse(text)]))
    }
    expect(wrong).toEqual([])
  })
})

describe('what checks it', () => {
  const got = { id: 'a-12-b', similarity: 0.98765, list: [1, 2, 3], nested: { some: null } }

  it.each([
    { id: 'a-12-b', similarity: 0.988, list: [1, 2, 3], nested: { some: null } },
    { id: 'a-…-b', similarity: '…', list: [1, '…'], nested: '…' },
    { id: '…', '…': '…' },
  ])('takes %j', (shown) => {
    expect(difference(shown, got)).toBe(undefined)
  })

  it.each([
    [{ ...got, id: 'a-…-c' }, 'answer.id is "a-12-b", shown is "a-…-c"'],
    [{ ...got, similarity: 0.98 }, 'answer.similarity is 0.98765, shown is 0.98'],
    [{ ...got, list: [1, 2] }, 'answer.list.2 is not shown'],
    [{ ...got, list: [1, 2, 3, '…', 4] }, 'answer.list.3 is missing'],
    [{ id: 'a-12-b' }, 'answer.similarity is not shown'],
    [{ ...got, nested: { some: 0 } }, 'answer.nested.some is null, shown is 0'],
  ])('does not take %j', (shown, what) => {
    expect(difference(shown, got)).toBe(what)
  })
})
