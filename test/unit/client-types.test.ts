import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import {
  createClient,
  type Schemas,
  type SemblanceClient,
} from '../../clients/typescript/src/client.ts'

/** Never called: `npm run typecheck` is the test. */
async function misspelt(client: SemblanceClient): Promise<void> {
  const path = { user: 'alice', project: 'verses' }

  const { data } = await client.POST('/v1/similars/{user}/{project}', {
    params: { path },
    body: { text_id: 'mark-1-11', limit: 5, filter: { 'ref.book': 'Luke' } },
  })
  data.results.map(({ id, similarity }) => `${id} ${similarity?.toFixed(3)}`)
  // @ts-expect-error: it is called similarity
  data.results.map(({ likeness }) => likeness)
  // @ts-expect-error: and limit
  await client.POST('/v1/similars/{user}/{project}', { params: { path }, body: { limits: 5 } })
  // @ts-expect-error: a parameter that does not exist
  await client.GET('/v1/projects', { params: { query: { ofset: 1 } } })
  // @ts-expect-error: the path needs a project
  await client.GET('/v1/projects/{user}/{project}', { params: { path: { user: 'alice' } } })
  // @ts-expect-error: and its parameters have to be given
  await client.GET('/v1/projects/{user}/{project}')
  // @ts-expect-error: it cannot be changed
  await client.PATCH('/v1/embeddings/{user}/{project}', { params: { path } })
  // @ts-expect-error: no such path
  await client.GET('/v1/project')

  const { data: bytes } = await client.GET('/v1/projects/{user}/{project}/export', {
    params: { path, query: { format: 'semblance' } },
    parseAs: 'arrayBuffer',
  })
  bytes.byteLength.toFixed()

  const item: Schemas['EmbeddingInput'] = { text_id: 'mark-1-11', vector: [1, 2, 3] }
  // @ts-expect-error: it is called text_id
  const other: Schemas['EmbeddingInput'] = { id: item.text_id, vector: [1, 2, 3] }
  const { data: stored } = await client.POST('/v1/embeddings/{user}/{project}', {
    params: { path },
    body: { embeddings: [item, other] },
  })
  if (typeof stored !== 'string') stored.uploaded.join()
  // @ts-expect-error: for lines it is text
  stored.uploaded.join()
}

it('has the types of the document, in which misspelt names do not compile', () => {
  expect(misspelt).toBeInstanceOf(Function)
  const check = [fileURLToPath(new URL('../clients/types.js', import.meta.url)), 'check']
  const { status, stderr } = spawnSync(process.execPath, check, { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

it('refuses what is no URL', () => {
  expect(() => createClient({ url: 'no URL' })).toThrow(TypeError)
})
