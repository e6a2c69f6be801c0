// Finds the parallels between the four gospels, through Semblance's HTTP API alone.
//
//   npm start                                # in one terminal
//   node examples/parallels/parallels.js     # in another
//
// SEMBLANCE_URL and SEMBLANCE_KEY (the administrator's) point it at another server.
import { createReadStream, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'

const url = process.env.SEMBLANCE_URL ?? 'http://localhost:8880'
const batchSize = 500

/** Calls the API and answers the body; an error answer ends the script with its detail. */
async function call(method, path, { key, body } = {}) {
  const response = await fetch(new URL(path, url), {
    method,
    headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
    body: body === undefined ? undefined : JSON.stringify(body),
  }).catch(() => {
    throw new Error(
      `There is no server at ${url}; start one with "npm start", or set SEMBLANCE_URL`,
    )
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.detail}`)
  return answer
}

/** The verses, each `{text_id, text, metadata: {ref: {book, chapter, verse}}, vector}`. */
async function readVerses() {
  const file = new URL('gospels.ndjson.gz', import.meta.url)
  const lines = createInterface({ input: createReadStream(file).pipe(createGunzip()) })
  const verses = []
  for await (const line of lines) verses.push(JSON.parse(line))
  return verses
}

// 1. The administrator registers a user. PUT can be repeated: the user keeps the key.
const adminKey =
  process.env.SEMBLANCE_KEY ??
  // As it was called before.
  process.env.ADMIN_KEY ??
  readFileSync(new URL('../../data/admin.key', import.meta.url), 'utf8')
const { api_key: key } = await call('PUT', '/v1/users/evangelist', {
  key: adminKey,
  body: { name: 'The Parallels Example' },
})

// 2. The user says what makes the vectors …
await call('PUT', '/v1/llm-services/evangelist/minilm', {
  key,
  body: {
    endpoint: 'https://provider-a.example/v1/embeddings',
    api_standard: 'provider-a',
    model: 'all-MiniLM-L6-v2',
    dimensions: 384,
  },
})

// 3. … and creates a project, whose metadata must tell book, chapter and verse.
const metadataScheme = {
  type: 'object',
  required: ['ref'],
  properties: {
    ref: {
      type: 'object',
      required: ['book', 'chapter', 'verse'],
      properties: {
        book: { enum: ['Matthew', 'Mark', 'Luke', 'John'] },
        chapter: { type: 'integer', minimum: 1 },
        verse: { type: 'integer', minimum: 1 },
      },
    },
  },
}
await call('PUT', '/v1/projects/evangelist/gospels', {
  key,
  body: {
    description: 'The four gospels, King James Version',
    instance_owner: 'evangelist',
    instance_handle: 'minilm',
    metadataScheme: JSON.stringify(metadataScheme),
  },
})

// 4. Upload in batches; a batch is stored as a whole or not at all.
const verses = await readVerses()
const embeddings = '/v1/embeddings/evangelist/gospels'
const { total_count: stored } = await call('GET', `${embeddings}?limit=1`, { key })
if (stored === verses.length) {
  console.log(`All ${stored} verses are there already.`)
} else {
  if (stored > 0) await call('DELETE', embeddings, { key })
  const start = performance.now()
  for (let from = 0; from < verses.length; from += batchSize) {
    const batch = verses.slice(from, from + batchSize)
    const body = { instance_handle: 'minilm', vector_dim: 384, embeddings: batch }
    const { uploaded } = await call('POST', embeddings, { key, body })
    console.log(`Uploaded ${from + uploaded.length} of ${verses.length} verses`)
  }
  console.log(`Upload took ${((performance.now() - start) / 1000).toFixed(1)} s`)
}

// 5. The parallels of a verse: similar verses of other books.
const verseOf = new Map(verses.map((verse) => [verse.text_id, verse]))
const print = ({ id, similarity }) =>
  console.log(`  ${similarity.toFixed(3)}  ${id.padEnd(14)} ${verseOf.get(id).text.slice(0, 72)}`)

for (const id of ['matthew-3-17', 'matthew-6-9', 'matthew-14-19', 'matthew-26-26', 'mark-4-39']) {
  const { text, metadata } = verseOf.get(id)
  const query = new URLSearchParams({
    count: '3',
    metadata_path: 'ref.book',
    metadata_value: metadata.ref.book,
  })
  const { results } = await call('GET', `/v1/similars/evangelist/gospels/${id}?${query}`, { key })
  console.log(`\n${id}: ${text.slice(0, 88)}`)
  for (const result of results) print(result)
}

// 6. A vector need not be stored to be searched for: here the middle between two verses.
const [storm, loaves] = [verseOf.get('mark-4-39'), verseOf.get('john-6-11')]
const middle = storm.vector.map((value, index) => (value + loaves.vector[index]) / 2)
const { results } = await call('POST', '/v1/similars/evangelist/gospels?count=3&threshold=0.4', {
  key,
  body: { vector: middle },
})
console.log('\nBetween "Peace, be still" (mark-4-39) and the five loaves (john-6-11):')
for (const result of results) print(result)

// 7. Now let everybody read and search: no key from here on.
await call('PATCH', '/v1/projects/evangelist/gospels', { key, body: { public_read: true } })
const open = await call('GET', '/v1/similars/evangelist/gospels/luke-11-2?count=1')
console.log(`\nWithout a key, luke-11-2 → ${open.results[0].id}. The project is public now; try:`)
console.log(`  curl "${url}/v1/similars/evangelist/gospels/john-1-1?count=3"`)
