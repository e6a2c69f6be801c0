import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import type { Server } from '../swagger/server.ts'
import { ask } from './ask.ts'

/** What is markup, script or an end of either wherever somebody forgets that it is text. */
export const hostile = [
  '<script>globalThis.harmed = 1</script>',
  '<img src=x onerror="globalThis.harmed = 1">',
  '"><svg onload=globalThis.harmed=1>',
  "' autofocus onfocus='globalThis.harmed=1",
  '</style></title></textarea></script><script>globalThis.harmed=1</script>',
  'javascript:globalThis.harmed=1',
  '{{constructor.constructor("globalThis.harmed=1")()}}',
  '<iframe srcdoc="<script>parent.harmed=1</script>"></iframe>',
  '&lt;script&gt;globalThis.harmed=1&lt;/script&gt;',
  '<a href="javascript:globalThis.harmed=1">x</a>',
  '<!--<img src="--><img src=x onerror=globalThis.harmed=1//">',
  '<math><mtext><table><mglyph><style><img src=x onerror=globalThis.harmed=1>',
  '../../%2F..\\secret?text_id=x&y#z',
  'long '.repeat(60).trim(),
]

const verses = gunzipSync(await readFile('examples/parallels/gospels.ndjson.gz')).toString()

/** Words that the provider knows: as if a model had found them to mean a verse. */
export const words = 'happy are those who have nothing'
export const meantVerse = 'luke-6-20'
export const wordVectors: ReadonlyMap<string, number[]> = new Map(
  verses
    .split('\n')
    .filter((line) => line.includes(`"${meantVerse}"`))
    // The second is what a test of a model sends.
    .flatMap((line) => [words, 'test'].map((text) => [text, JSON.parse(line).vector])),
)

/**
 * @param provider host and port of what embeds texts
 * @returns the key of ann, who owns verses (public), odd (public) and secret
 */
export async function makeWorld({ url, key: adminKey }: Server, provider: string): Promise<string> {
  const { api_key: key } = await ask({ url, key: adminKey }, 'PUT', 'users/ann', {})
  const put = (path: string, body: object) => ask({ url, key }, 'PUT', path, body)
  const upload = (project: string, lines: string) =>
    ask({ url, key }, 'POST', `embeddings/ann/${project}`, lines)
  for (const [instance, model, dimensions] of [
    ['minilm', 'all-MiniLM-L6-v2', 384],
    ['odd', `${hostile[0]}`, 3],
  ] as const) {
    await put(`llm-services/ann/${instance}`, {
      ...{ endpoint: `http://${provider}/v1/embeddings`, api_standard: 'provider-a' },
      ...{ model, dimensions },
    })
  }
  const project = (handle: string, instance: string, fields: object) =>
    put(`projects/ann/${handle}`, {
      ...{ instance_owner: 'ann', instance_handle: instance },
      ...fields,
    })
  await project('verses', 'minilm', {
    public_read: true,
    description: 'The verses of the gospels',
    text_queries: 'everybody',
  })
  await project('odd', 'odd', { public_read: true, description: hostile.join('\n') })
  await project('secret', 'odd', { description: 'Nobody may know' })
  await upload('verses', verses)
  await upload('odd', hostile.map(oddLine).join('\n'))
  await upload(
    'secret',
    JSON.stringify({ text_id: 'hidden-1', vector: [1, 2, 3], text: 'A secret' }),
  )
  return key
}

const oddLine = (text: string, index: number) =>
  JSON.stringify({
    ...{ text_id: text, text, vector: [1, index / 10, 0] },
    metadata: {
      [text]: text,
      same: hostile[0],
      list: [text, index],
      deep: { [text]: { [text]: text } },
    },
  })
