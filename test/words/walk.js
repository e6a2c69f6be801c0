// Searches the gospels in plain words, with a real model behind a real provider, by servers on Node and on
// other runtimes: `node walk.js PYTHON [BUN]`.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('../..', import.meta.url))
const [python, ...runtimes] = process.argv.slice(2)
const adminKey = 'the-admin-key-of-the-walk-in-words'
const providerKey = 'the-key-of-the-test'

const questions = [
  { text: 'happy are people who own nothing', finds: ['matthew-5-3', 'luke-6-20'] },
  {
    text: 'he walked on the water of the lake',
    finds: ['mark-6-49', 'mark-6-48', 'matthew-14-25'],
  },
  {
    text: 'five loaves of bread and two fishes',
    finds: ['matthew-14-17', 'mark-6-38', 'luke-9-13'],
  },
  { text: 'a rooster crowed in the morning', finds: ['matthew-26-34', 'mark-14-30', 'luke-22-34'] },
]

/** Its lines until one of them says where it listens. */
async function startProcess(program, args, options, pattern) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
  }
  const found = new Promise((resolve, reject) => {
    for (const input of [child.stdout, child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        const match = pattern.exec(line)
        if (match !== null) resolve(match[1])
      })
    }
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}`)))
    child.once('error', reject)
  })
  return { child, place: await found }
}

async function stop(child) {
  child.removeAllListeners('exit')
  child.kill('SIGTERM')
  if (child.exitCode === null) await once(child, 'exit')
}

function clientOf(url) {
  return async (method, path, key, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...(key && { Authorization: `Bearer ${key}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }
}

const cosine = (a, b) => {
  const dot = (x, y) => x.reduce((sum, value, index) => sum + value * y[index], 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

async function walk(name, runtime, database, port) {
  const folder = await mkdtemp(join(tmpdir(), 'semblance-words-'))
  const { child, place } = await startProcess(
    runtime,
    [join(root, 'dist/main.js'), 'serve', '--port', '0'],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        SERVICE_ADMINKEY: adminKey,
        ENCRYPTION_KEY: 'k'.repeat(32),
        SERVICE_EMBEDDINGHOSTS: `127.0.0.1:${port}`,
        ...(database && { SERVICE_DATABASE_URL: database }),
      },
    },
    /listening on (http:\/\/[^ "]+)/,
  )
  const call = clientOf(place)
  const user = `words-${process.pid}-${child.pid}`
  try {
    const made = await call('PUT', `/v1/users/${user}`, adminKey, {})
    const key = made.body.api_key
    await call('PUT', `/v1/llm-services/${user}/minilm`, key, {
      endpoint: `http://127.0.0.1:${port}/v1/embeddings`,
      api_standard: 'provider-a',
      model: 'all-MiniLM-L6-v2',
      dimensions: 384,
      api_key_encrypted: providerKey,
    })
    const instance = { instance_owner: user, instance_handle: 'minilm' }
    for (const project of ['gospels', 'embedded']) {
      const body = { ...instance, public_read: true, text_queries: 'everybody' }
      assert.equal((await call('PUT', `/v1/projects/${user}/${project}`, key, body)).status, 201)
    }

    const file = gunzipSync(await readFile(join(root, 'examples/parallels/gospels.ndjson.gz')))
    const verses = file
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    for (let from = 0; from < verses.length; from += 1000) {
      const embeddings = verses.slice(from, from + 1000)
      const path = `/v1/embeddings/${user}/gospels`
      const body = { instance_handle: 'minilm', vector_dim: 384, embeddings }
      assert.equal((await call('POST', path, key, body)).status, 201)
    }

    // Whoever may read it, without a key.
    for (const { text, finds } of questions) {
      const { status, body } = await call('POST', `/v1/similars/${user}/gospels`, undefined, {
        text,
        threshold: 0,
        include: ['text'],
      })
      assert.equal(status, 200, body.detail)
      const ids = body.results.map(({ id }) => id)
      assert.ok(
        finds.some((id) => ids.includes(id)),
        `${text}: ${ids}`,
      )
      console.log(`${name}: "${text}": ${body.results[0].id}: ${body.results[0].text}`)
    }

    // The same vectors as those that were computed elsewhere.
    const some = verses.filter((_, index) => index % 40 === 0)
    const { status, body } = await call('POST', `/v1/embeddings/${user}/embedded?embed=true`, key, {
      embeddings: some.map(({ text_id, text }) => ({ text_id, text })),
    })
    assert.equal(status, 201, body.detail)
    const least = Math.min(
      ...(await Promise.all(
        some.map(async ({ text_id, vector }) => {
          const path = `/v1/embeddings/${user}/embedded/${text_id}`
          return cosine((await call('GET', path, key)).body.vector, vector)
        }),
      )),
    )
    assert.ok(least > 0.9999, `the least cosine to the stored vectors is ${least}`)
    console.log(
      `${name}: ${some.length} texts embedded; the least cosine to the stored vectors is ${least}`,
    )

    await compare(name, call, user, key)
    const audience = { text_queries: 'off' }
    await call('PATCH', `/v1/projects/${user}/gospels`, key, audience)
    const off = await call('POST', `/v1/similars/${user}/gospels`, key, { text: 'water' })
    assert.equal(off.status, 403)
  } finally {
    await call('DELETE', `/v1/users/${user}`, adminKey)
    await stop(child)
    await rm(folder, { recursive: true, force: true })
  }
}

/** What a search in words that are known costs beside the same by vector. */
async function compare(name, call, user, key) {
  const text = 'the parable of the sower'
  const path = `/v1/similars/${user}/gospels`
  const made = await call('POST', `/v1/embeddings/${user}/embedded?embed=true`, key, {
    embeddings: [{ text_id: 'words', text }],
  })
  assert.equal(made.status, 201)
  const { vector } = (await call('GET', `/v1/embeddings/${user}/embedded/words`, key)).body
  const times = { words: [], vector: [] }
  for (let round = 0; round < 300; round += 1) {
    for (const [kind, body] of [
      ['words', { text }],
      ['vector', { vector }],
    ]) {
      const start = performance.now()
      await call('POST', path, key, body)
      if (round >= 50) times[kind].push(performance.now() - start)
    }
  }
  const [words, byVector] = [median(times.words), median(times.vector)]
  const ratio = (words / byVector).toFixed(2)
  console.log(`${name}: words ${words.toFixed(2)} ms, vector ${byVector.toFixed(2)} ms: ${ratio}`)
}

const provider = await startProcess(
  python,
  [join(root, 'test/words/minilm.py')],
  { env: { PATH: process.env.PATH, OPENBLAS_NUM_THREADS: '1' } },
  /^(\d+)$/,
)
try {
  const database = process.env.TEST_DATABASE_URL
  for (const runtime of [process.execPath, ...runtimes]) {
    const name = basename(runtime)
    await walk(`${name}, embedded`, runtime, undefined, provider.place)
    if (database !== undefined) await walk(`${name}, PostgreSQL`, runtime, database, provider.place)
  }
} finally {
  await stop(provider.child)
}
