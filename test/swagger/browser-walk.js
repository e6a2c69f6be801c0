/* What a page does with the built semblance-client; see client-in-page.ts. */
import { createClient, readLines } from '/client/client.js'

const { url, key } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))

async function walk() {
  const user = 'browser'
  const admin = createClient({ url, key })
  const params = { path: { user } }
  const { data: account } = await admin.PUT('/v1/users/{user}', { params, body: {} })
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
  await client.PUT('/v1/projects/{user}/{project}', {
    params: { path },
    body: { instance_owner: user, instance_handle: 'tiny' },
  })
  const uploaded = await client.POST('/v1/embeddings/{user}/{project}', {
    params: { path, query: { on_conflict: 'replace' } },
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: '{"text_id":"a/b c?#%","vector":[1,0,0]}\n{"text_id":"two","vector":[1,1,0]}\n',
    parseAs: 'stream',
  })
  let last
  for await (const line of readLines(uploaded, 'done')) last = line
  if (last?.stored !== 2) throw new Error(`stored: ${JSON.stringify(last)}`)
  const { data, response } = await client.POST('/v1/similars/{user}/{project}', {
    params: { path },
    body: { text_id: 'a/b c?#%', threshold: 0.6 },
  })
  if (data.results[0]?.id !== 'two') throw new Error(`found: ${JSON.stringify(data)}`)
  // Which a page of another origin may read only where the service says so.
  if (response.headers.get('X-Search-Mode') !== 'exact') throw new Error('no X-Search-Mode')
  const refused = await client
    .GET('/v1/projects/{user}/{project}', { params: { path: { user, project: 'gone' } } })
    .catch((error) => error)
  if (refused.status !== 404) throw new Error(`refused: ${refused}`)
}

document.title = await walk().then(
  () => 'walked',
  (error) => `${error}`,
)
