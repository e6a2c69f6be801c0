/* What a user does with the built semblance-client, on Node and on Bun; see client.test.ts. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createClient, readLines, SemblanceError } from '../../clients/typescript/dist/client.js'

const { SEMBLANCE_URL: url, SERVER_ADMIN_KEY: adminKey } = process.env
const user = 'ann'
const admin = createClient({ url, key: adminKey })
const { data: account } = await admin.POST('/v1/users', { body: { user_handle: user } })
const client = createClient({ url, key: account.api_key })

await client.PUT('/v1/llm-services/{user}/{instance}', {
  params: { path: { user, instance: 'tiny' } },
  body: {
    endpoint: 'none',
    api_standard: 'provider-a',
    model: 'tiny',
    dimensions: 3,
  },
})
const path = { user, project: 'colours' }
const { data: made } = await client.PUT('/v1/projects/{user}/{project}', {
  params: { path },
  body: { instance_owner: user, instance_handle: 'tiny' },
})
assert.equal(made.owner, user)

// Lines, one of them with a text_id that a path has to escape.
const items = [
  { text_id: 'a/b c?#%', vector: [1, 0, 0] },
  { text_id: 'two', vector: 'AAAAAAAAgD8AAAAA' },
]
const uploadOf = (lines) =>
  client.POST('/v1/embeddings/{user}/{project}', {
    params: { path, query: { on_conflict: 'skip' } },
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    parseAs: 'stream',
  })
let progress
for await (const line of readLines(await uploadOf(items), 'done')) progress = line
assert.deepEqual([progress.stored, progress.done], [2, true])

const { data: one } = await client.GET('/v1/embeddings/{user}/{project}/{text_id}', {
  params: { path: { ...path, text_id: 'a/b c?#%' } },
})
assert.equal(one.text_id, 'a/b c?#%')
await assert.rejects(
  client.GET('/v1/embeddings/{user}/{project}/{text_id}', {
    params: { path: { ...path, text_id: '..' } },
  }),
  /cannot stand in a path/,
)

const lost = await client
  .GET('/v1/projects/{user}/{project}', { params: { path: { user, project: 'gone' } } })
  .catch((error) => error)
assert.ok(lost instanceof SemblanceError)
assert.deepEqual([lost.status, lost.title], [404, 'Not Found'])
assert.match(lost.message, /^404 Not Found: Project 'ann\/gone' not found \(request \S+\)$/)

// An error in the last line of an answer that began well.
const many = Array.from({ length: 1001 }, (_, index) => ({
  text_id: `n${index}`,
  vector: [1, 2, 3],
}))
const failing = readLines(await uploadOf([...many, { text_id: 'bad', vector: [1] }]), 'done')
const readAll = async () => {
  for await (const line of failing) assert.equal(line.lines, 1000)
}
await assert.rejects(readAll, { status: 400, message: /\(line 1002, .*\(request / })

// What passes by itself: a connection that is lost, then a server that is busy.
let requests = 0
const between = createServer(async (request, response) => {
  requests += 1
  if (requests % 3 === 1) return request.socket.destroy()
  if (requests % 3 === 2) return response.writeHead(503, { 'Retry-After': '0' }).end('busy')
  const chunks = await request.toArray()
  const headers = { Authorization: request.headers.authorization }
  const body = chunks.length === 0 ? undefined : Buffer.concat(chunks)
  const answer = await fetch(url + request.url, { method: request.method, headers, body })
  return response.writeHead(answer.status).end(await answer.text())
})
between.listen(0, '127.0.0.1')
await once(between, 'listening')
const shaky = createClient({
  url: `http://127.0.0.1:${between.address().port}`,
  key: account.api_key,
})
const { data: found } = await shaky.POST('/v1/similars/{user}/{project}', {
  params: { path },
  body: { text_id: 'two', limit: 1 },
})
assert.equal(found.results.length, 1)
assert.equal(requests, 3)
const created = shaky.POST('/v1/projects/{user}', {
  params: { path: { user } },
  body: { project_handle: 'other', instance_owner: user, instance_handle: 'tiny' },
})
await assert.rejects(created, { status: 0, message: /^No answer: the connection to http:\/\/127/ })
assert.equal(requests, 4, 'what creates something is sent once')
between.close()

const ended = new AbortController()
ended.abort(new Error('enough'))
await assert.rejects(client.GET('/v1/me', { signal: ended.signal }), /enough/)
console.log('walked')
process.exit()
