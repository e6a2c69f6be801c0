import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import {
  ask,
  compass,
  compassWithProvider,
  patch,
  projectAt,
  send,
} from '../../support/data/embedded-texts.ts'
import { nameOf } from '../../support/data/named-keys.ts'
import { refusal } from '../../support/data/refusals.ts'
import { search, searchBatch } from '../../support/data/similars.ts'
import {
  addProject,
  giveAway,
  newInstance,
  newKey,
  newLoan,
  newSharee,
  newStandard,
  newUser,
  type Project,
  upload,
} from '../../support/factories.ts'
import { answerJson, directionOf, startProvider } from '../../support/servers/embedding-provider.ts'
import { providerKey } from '../../support/servers/provider-answers.ts'

async function compassOf(...at: Parameters<typeof projectAt>) {
  const project = await projectAt(...at)
  await upload(project, ...compass)
  return project
}

it('finds what is similar to words, by the vector that the provider makes of them', async () => {
  const { provider, project } = await compassWithProvider()
  const { status, body, headers } = await ask(project, 'north')
  expect(status).toBe(200)
  expect(body.results.map(({ id }: { id: string }) => id)).toEqual(['n', 'ne'])
  expect(provider.received).toMatchObject([
    { url: '/v1/embeddings', body: { model: 'small', input: ['north'] } },
  ])
  expect(provider.received[0]?.headers.authorization).toBe(`Bearer ${providerKey}`)
  expect(headers.get('server-timing')).toContain('provider;dur=')
  const vector = await search(project, { vector: directionOf('north') })
  expect(body.results).toEqual(vector.body.results)
})

it('asks for the same words once, until the instance is changed', async () => {
  const { provider, project } = await compassWithProvider()
  const first = await ask(project, 'east')
  expect(first.headers.get('ratelimit')).toMatch(
    /^"project-texts";r=999;t=\d+, "project-characters";r=199996;t=\d+, "caller-texts";r=199;t=\d+, "caller-characters";r=39996;t=\d+$/,
  )
  const again = await ask(project, 'east')
  expect(again.headers.get('ratelimit')).toBeNull()
  expect(again.body.results).toEqual(first.body.results)
  expect(provider.received).toHaveLength(1)
  const instance = `/v1/llm-services/${project.owner.handle}/model`
  await call('PATCH', instance, { key: project.owner.key, body: { query_prefix: 'query: ' } })
  await ask(project, 'east')
  expect(provider.received[1]?.body.input).toEqual(['query: east'])
})

it('tells nobody what others have asked', async () => {
  const { provider, project } = await compassWithProvider({
    public_read: true,
    text_queries: 'everybody',
  })
  const { owner } = project
  const named = async () => ({ key: await newKey(owner) })
  const askers = [
    owner,
    { key: undefined },
    await newSharee(project, 'reader'),
    await newUser(),
    await named(),
    await named(),
  ]
  for (const [before, asker] of askers.entries()) {
    const first = await ask(project, 'east', asker)
    expect(first.headers.get('ratelimit'), `caller ${before}`).toContain('"caller-texts"')
    expect(provider.received).toHaveLength(before + 1)
    expect((await ask(project, 'east', asker)).headers.get('ratelimit')).toBeNull()
  }
  expect(provider.received).toHaveLength(askers.length)
})

it('is off until the owner allows it, to members or to everybody who may read', async () => {
  const { project } = await compassWithProvider({ public_read: true })
  const reader = await newSharee(project, 'reader')
  const stranger = await newUser()
  const nobody = { key: undefined }
  const all = [project.owner, reader, stranger, nobody]
  const statuses = async () =>
    Promise.all(all.map(async (user) => (await ask(project, 'north', user)).status))
  expect(await statuses()).toEqual([403, 403, 403, 403])
  expect((await ask(project, 'north')).body.detail).toContain('{"text_queries": "members"}')
  expect((await patch(project, { text_queries: 'members' })).body.text_queries).toBe('members')
  expect(await statuses()).toEqual([200, 200, 403, 401])
  await patch(project, { text_queries: 'everybody' })
  expect(await statuses()).toEqual([200, 200, 200, 200])
  await patch(project, { public_read: false })
  expect(await statuses()).toEqual([200, 200, 403, 401])
  await patch(project, { text_queries: null })
  expect(await statuses()).toEqual([403, 403, 403, 401])
})

/** Whoever has lent an instance, and to whom. */
async function lent() {
  const provider = await startProvider()
  const { lender, owner, path } = await newLoan({ endpoint: provider.url, dimensions: 2 })
  const end = () => call('DELETE', `${path}/share/${owner.handle}`, { key: lender.key })
  return { provider, lender, owner, end }
}

it('is not paid for by an instance whose share has ended', async () => {
  const { provider, lender, owner, end } = await lent()
  const fields = { instance_owner: lender.handle, text_queries: 'everybody' }
  const project = await addProject(owner, 'texts', fields)
  expect((await ask(project, 'north')).status).toBe(200)
  await end()
  const refused = await ask(project, 'north')
  expect([refused.status, refused.body.detail]).toEqual([
    403,
    expect.stringContaining('not shared with'),
  ])
  expect(provider.received).toHaveLength(1)
})

it('ends with the budget of the day, of the project and of each caller', async () => {
  const { provider, project } = await compassWithProvider({
    text_queries: 'members',
    text_query_budget: { requests: 3, caller_requests: 2, characters: 100 },
  })
  const reader = await newSharee(project, 'reader')
  expect((await ask(project, 'a', reader)).status).toBe(200)
  expect((await ask(project, 'bb', reader)).status).toBe(200)
  const third = await ask(project, 'ccc', reader)
  expect(third).toMatchObject(refusal(429, 'more than 2 caller texts'))
  expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0)
  // What is known costs nothing, and what was refused was not counted.
  expect((await ask(project, 'a', reader)).status).toBe(200)
  expect((await ask(project, 'ccc')).status).toBe(200)
  expect((await ask(project, 'dddd')).body.detail).toContain('more than 3 project texts')
  await patch(project, { text_query_budget: { characters: 10, requests: 100 } })
  expect((await ask(project, 'eeeee')).body.detail).toContain('10 project characters')
  await patch(project, { text_query_budget: null })
  expect((await ask(project, 'eeeee')).status).toBe(200)
  expect(provider.received).toHaveLength(4)
})

it('leaves a part of the budget to members', async () => {
  const { project } = await compassWithProvider({
    public_read: true,
    text_queries: 'everybody',
    text_query_budget: { requests: 4 },
  })
  const nobody = { key: undefined }
  for (const text of ['a', 'bb', 'ccc']) expect((await ask(project, text, nobody)).status).toBe(200)
  expect((await ask(project, 'dddd', nobody)).status).toBe(429)
  expect((await ask(project, 'dddd')).status).toBe(200)
})

describe('the budget of a borrower', () => {
  async function borrow() {
    const { lender, owner } = await lent()
    const fields = {
      ...{ instance_owner: lender.handle, text_queries: 'members' },
      text_query_budget: { requests: 100_000, caller_requests: 100_000 },
    }
    const embed = (project: Project, count: number) => {
      const texts = Array.from({ length: count }, (_, index) => ({
        ...{ text_id: `${index}`, text: 'a' },
      }))
      return send(project, texts, 'embed=true&on_conflict=replace')
    }
    return { owner, embed, add: (handle: string) => addProject(owner, handle, fields) }
  }

  it('is one for all projects, uploads too', async () => {
    const { owner, embed, add } = await borrow()
    const [one, other] = [await add('one'), await add('other')]
    expect((await embed(one, 999)).status).toBe(201)
    const left = await embed(other, 1)
    expect(left.headers.get('ratelimit')).toContain('"instance-texts";r=0;')
    expect(await ask(other, 'north', owner)).toMatchObject(
      refusal(429, 'more than 1000 instance texts'),
    )
  })

  it('stays spent when projects go, or take another instance', async () => {
    const { owner, embed, add } = await borrow()
    const [deleted, moved] = [await add('deleted'), await add('moved')]
    expect((await embed(deleted, 600)).status).toBe(201)
    await call('DELETE', deleted.path(), { key: owner.key })
    expect((await embed(moved, 400)).status).toBe(201)
    await newInstance(owner, { endpoint: 'http://10.0.0.1/', dimensions: 2 })
    const body = { instance_owner: owner.handle, instance_handle: 'model' }
    expect((await call('PUT', moved.path(), { key: owner.key, body })).status).toBe(200)
    const anew = await ask(await add('anew'), 'north', owner)
    expect(anew.status).toBe(429)
    expect(anew.body.detail).toContain('more than 1000 instance texts')
  })
})

it('costs nothing where nobody is asked', async () => {
  const project = await compassOf(
    { url: 'http://10.0.0.1/' },
    { text_queries: 'members', text_query_budget: { requests: 1 } },
  )
  for (const text of ['a', 'b', 'c']) expect((await ask(project, text)).status).toBe(403)
})

it('is off again for whoever gets the project', async () => {
  const { project } = await compassWithProvider()
  const heir = await newUser('heir')
  const theirs = await giveAway(project, heir)
  const shown = await call('GET', theirs.path(), { key: heir.key })
  expect(shown.body.text_queries).toBe('off')
})

it('embeds all words of a batch at once', async () => {
  const { provider, project } = await compassWithProvider()
  const north = { text: 'north' }
  const { body } = await searchBatch(project, north, { text_id: 'e' }, { text: 'east' }, north)
  const best = body.answers.map(({ results }: { results: { id: string }[] }) => results[0]?.id)
  expect(best).toEqual(['n', 'ne', 'e', 'n'])
  expect(provider.received.map(({ body }) => body.input)).toEqual([['north', 'east']])
})

it('embeds a text for several projects once, for the first that allows it', async () => {
  const provider = await startProvider()
  const off = await compassOf(provider, { text_queries: 'off', public_read: true })
  const open = await compassOf(provider, { text_queries: 'everybody', public_read: true })
  const askAll = (projects: readonly Project[]) =>
    call('POST', '/v1/similars', {
      key: undefined,
      body: { projects: projects.map(nameOf), text: 'north', limit: 3 },
    })
  const refused = await askAll([off])
  expect([refused.status, refused.body.detail]).toEqual([
    403,
    (await ask(off, 'north', { key: undefined })).body.detail,
  ])
  const { body, headers } = await askAll([off, open])
  expect(body.results).toMatchObject([
    { id: 'n', project: nameOf(off) },
    { id: 'n', project: nameOf(open) },
    { id: 'ne', project: nameOf(off) },
  ])
  expect(provider.received).toHaveLength(1)
  expect(headers.get('ratelimit')).toContain('"project-texts";r=749')
})

const content = { parts: [{ text: 'north' }] }
const gemini = { model: 'models/small', content, taskType: 'RETRIEVAL_QUERY' }

it.each([
  ['cohere', { embeddings: { float: [[0, 1]] } }, { input_type: 'search_query', texts: ['north'] }],
  ['cohere', { embeddings: [[0, 1]] }, { embedding_types: ['float'] }],
  ['gemini', { embeddings: [{ values: [0, 1] }] }, { requests: [gemini] }],
  ['openai', { embeddings: [[0, 1]] }, { input: ['north'] }],
])('asks in the form of %s', async (request_format, answer, question) => {
  const provider = await startProvider((response) => answerJson(response, 200, answer))
  const inUrl = { key_method: 'query_param', key_field: 'key' }
  const api_standard = await newStandard({ request_format, ...inUrl })
  const project = await compassOf(provider, { text_queries: 'members' }, { api_standard })
  const { body } = await ask(project, 'north')
  expect(body.results[0]).toEqual({ id: 'n', similarity: 1 })
  expect(provider.received[0]?.body).toMatchObject(question)
  expect(provider.received[0]?.url).toBe(`/v1/embeddings?key=${providerKey}`)
  expect(provider.received[0]?.headers.authorization).toBeUndefined()
})

it('says how long vectors are to be where the model makes longer ones', async () => {
  const provider = await startProvider((response, { body }) => {
    const embedding = body.dimensions === 2 ? [0, 1] : [0, 1, 0]
    answerJson(response, 200, { data: [{ embedding }] })
  })
  const project = await compassOf(provider)
  expect((await ask(project, 'north')).body.results[0].id).toBe('n')
  expect((await ask(project, 'south')).status).toBe(200)
  expect(provider.received.map(({ body }) => body.dimensions)).toEqual([undefined, 2, 2])
})

it('tells queries and stored texts apart as the instance says', async () => {
  const provider = await startProvider()
  const hints = {
    ...{ query_input_type: 'query', document_input_type: 'document' },
    ...{ query_prefix: 'Q: ', document_prefix: 'D: ' },
  }
  const project = await compassOf(provider, { text_queries: 'members' }, hints)
  await ask(project, 'north')
  expect((await send(project, [{ text_id: 'x', text: 'north' }])).status).toBe(201)
  expect(provider.received.map(({ body }) => [body.input_type, body.input])).toEqual([
    ['query', ['Q: north']],
    ['document', ['D: north']],
  ])
  const instance = `/v1/llm-services/${project.owner.handle}/model`
  expect((await call('GET', instance, { key: project.owner.key })).body).toMatchObject(hints)
})
