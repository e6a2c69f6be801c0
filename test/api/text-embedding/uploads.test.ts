import { expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import {
  patch,
  projectAt,
  projectWithProvider,
  send,
  sendLines,
  vectorsOf,
} from '../../support/data/embedded-texts.ts'
import { setScheme } from '../../support/data/metadata.ts'
import { refusal } from '../../support/data/refusals.ts'
import { addProject, newInstance, newKey, newSharee, type User } from '../../support/factories.ts'
import { answerJson, openai, startProvider } from '../../support/servers/embedding-provider.ts'

it('makes the vectors of items that have a text and none, in one request', async () => {
  const { provider, project } = await projectWithProvider()
  const { status, body } = await send(project, [
    { text_id: 'a', text: 'north' },
    { text_id: 'b', vector: [3, 4], vector_dim: 2, instance_handle: 'model' },
    { text_id: 'c', text: 'east', metadata: { side: 'right' } },
  ])
  expect([status, body.uploaded]).toEqual([201, ['a', 'b', 'c']])
  expect(await vectorsOf(project)).toEqual({ a: [0, 1], b: [3, 4], c: [1, 0] })
  expect(provider.received.map(({ body }) => body.input)).toEqual([['north', 'east']])
})

it('takes embed in the body too, and lines', async () => {
  const { project } = await projectWithProvider()
  const { key } = project.owner
  const body = { embeddings: [{ text_id: 'a', text: 'north' }], embed: true }
  expect((await call('POST', project.path('embeddings'), { key, body })).status).toBe(201)
  const lines = ['north', 'east'].map((text, index) => ({ text_id: `l${index}`, text }))
  expect((await sendLines(project, lines)).body).toContain('"stored":2')
  expect(await vectorsOf(project)).toEqual({ a: [0, 1], l0: [0, 1], l1: [1, 0] })
})

it('requires what the specification requires unless it is told to embed', async () => {
  const { provider, project } = await projectWithProvider()
  const text = { text_id: 'a', text: 'north' }
  expect((await send(project, [text], '')).body.detail).toBe(
    "embeddings[0].vector is required, which embed=true makes of the text (text_id 'a')",
  )
  expect(
    (await send(project, [{ ...text, ...{ vector_dim: 2, instance_handle: 'model' } }], '')).status,
  ).toBe(400)
  const none = await send(project, [text, { text_id: 'b', text: ' ' }])
  expect(none.body.detail).toBe(
    "embeddings[1].vector is required, and there is no text to make it of (text_id 'b')",
  )
  const first = await send(project, [{ text_id: 'b' }, { text_id: 'c', vector: 'no vector' }])
  expect(first.body.detail).toContain('embeddings[0].vector is required')
  const bare = await send(project, [{ text_id: 'b', vector: [1, 2] }])
  expect(bare.body.detail).toContain('embeddings[0].instance_handle')
  expect(provider.received).toHaveLength(0)
  expect(await vectorsOf(project)).toEqual({})
})

it('has nothing embedded that would be refused, or is skipped', async () => {
  const { provider, project } = await projectWithProvider({
    metadataScheme: '{"properties":{"side":{"enum":["left","right"]}}}',
  })
  await send(project, [{ text_id: 'a', text: 'north' }])
  const again = [
    { text_id: 'b', text: 'east' },
    { text_id: 'a', text: 'east' },
  ]
  const conflict = await send(project, again)
  expect(conflict).toMatchObject(refusal(409, "Embedding 'a' already exists"))
  expect(conflict.body.detail).toContain('embeddings[1]')
  expect((await send(project, [again[0] ?? {}, again[0] ?? {}])).status).toBe(409)
  const bad = { text_id: 'c', text: 'north', metadata: { side: 'up' } }
  expect((await send(project, [bad])).body.detail).toContain("text_id 'c'")
  expect(provider.received).toHaveLength(1)
  const skipped = await send(project, again, 'embed=true&on_conflict=skip')
  expect(skipped.body).toMatchObject({ uploaded: ['b'], skipped: ['a'] })
  expect(provider.received[1]?.body.input).toEqual(['east'])
  const none = await send(project, again, 'embed=true&on_conflict=skip')
  expect(none.body).toMatchObject({ uploaded: [], skipped: ['b', 'a'] })
  expect(provider.received).toHaveLength(2)
  const replaced = await send(project, again, 'embed=true&on_conflict=replace')
  expect(replaced.body).toMatchObject({ replaced: ['a'], unchanged: ['b'] })
  expect(await vectorsOf(project)).toEqual({ a: [1, 0], b: [1, 0] })
  // Of an item whose place has changed by what was left out.
  const wrong = { text_id: 'd', vector: [1, 2, 3], vector_dim: 3, instance_handle: 'model' }
  const misfit = await send(project, [again[1] ?? {}, wrong], 'embed=true&on_conflict=skip')
  expect(misfit.body.detail).toContain("(embeddings[1], text_id 'd')")
})

it('is for the owner, and for editors where texts of members are embedded', async () => {
  const { project } = await projectWithProvider({})
  const editor = await newSharee(project, 'editor')
  const item = [{ text_id: 'a', text: 'north' }]
  expect((await send(project, item, 'embed=true', editor)).status).toBe(403)
  const body = { text_queries: 'members', text_query_budget: { requests: 1 } }
  await patch(project, body)
  const answer = await send(project, item, 'embed=true', editor)
  expect(answer.status).toBe(201)
  expect(answer.headers.get('ratelimit')).toContain('"project-texts";r=0')
  const more = [{ text_id: 'b', text: 'east' }]
  expect((await send(project, more, 'embed=true', editor)).status).toBe(429)
  expect((await send(project, more)).status).toBe(201)
})

const textsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ text_id: `t${index}`, text: `north ${index}` }))

it('has a budget with a named key of the owner, and none with the first', async () => {
  const { project } = await projectWithProvider()
  const { owner } = project
  const projects = [`${owner.handle}/texts`]
  const narrow = { ...owner, key: await newKey(owner, { access: 'write', projects }) }
  const query = 'embed=true&on_conflict=replace'
  const first = await send(project, textsOf(150), query, narrow)
  expect(first.status).toBe(201)
  expect(first.headers.get('ratelimit')).toContain('"caller-texts";r=50')
  expect(await send(project, textsOf(51), query, narrow)).toMatchObject(
    refusal(429, '200 caller texts'),
  )
  expect((await send(project, textsOf(51), query)).status).toBe(201)
  await patch(project, { text_query_budget: { caller_requests: 1_000 } })
  expect((await send(project, textsOf(51), query, narrow)).status).toBe(201)
})

it('has one budget for all projects that a named key can make', async () => {
  const { project } = await projectWithProvider()
  const { owner } = project
  const named = { ...owner, key: await newKey(owner, { access: 'write' }) }
  const statuses: number[] = []
  for (let made = 0; made < 6; made += 1) {
    const project = await addProject(named, `p${made}`)
    const { status, body } = await send(project, textsOf(200), 'embed=true', named)
    statuses.push(status)
    if (status !== 201) expect(body.detail).toContain('1000 instance texts')
  }
  expect(statuses).toEqual([201, 201, 201, 201, 201, 429])
})

it('has a budget that no named key changes, nor for whom it is', async () => {
  const budget = { requests: 10, caller_requests: 5 }
  const { project } = await projectWithProvider({
    ...{ text_queries: 'members', text_query_budget: budget },
  })
  const { owner } = project
  const key = await newKey(owner, { access: 'write' })
  const refused = [
    { text_queries: 'everybody' },
    { text_query_budget: { requests: 11, caller_requests: 5 } },
    { text_query_budget: null },
  ]
  const { body: shown } = await call('GET', project.path(), { key })
  for (const body of refused) {
    expect(await call('PATCH', project.path(), { key, body })).toMatchObject(
      refusal(403, "it needs the user's first key"),
    )
    const put = await call('PUT', project.path(), { key, body: { ...shown, ...body } })
    expect(put.status).toBe(403)
  }
  const fresh = { ...shown, project_handle: 'fresh' }
  const path = `/v1/projects/${owner.handle}`
  expect((await call('POST', path, { key, body: fresh })).status).toBe(403)
  expect((await call('PUT', `${path}/fresh`, { key, body: fresh })).status).toBe(403)
  const same = { description: 'New', text_queries: 'members', text_query_budget: budget }
  expect((await call('PATCH', project.path(), { key, body: same })).body).toMatchObject(same)
  expect((await call('PUT', project.path(), { key, body: shown })).status).toBe(200)
  const off = { text_queries: 'off' }
  expect((await call('PATCH', project.path(), { key, body: off })).body).toMatchObject(off)
})

it('has a budget that no named key takes to another instance', async () => {
  const { provider, project } = await projectWithProvider()
  const { owner } = project
  await newInstance(owner, { endpoint: provider.url, dimensions: 2 }, 'dear')
  const key = await newKey(owner, { access: 'write' })
  for (const spending of [
    { text_queries: 'members' },
    { text_query_budget: { requests: 5_000 } },
  ]) {
    const reset = { text_queries: 'off', text_query_budget: null, ...spending }
    await patch(project, reset)
    const { body: shown } = await call('GET', project.path(), { key })
    const body = { ...shown, instance_handle: 'dear' }
    expect(await call('PUT', project.path(), { key, body })).toMatchObject(
      refusal(403, "it needs the user's first key"),
    )
    expect((await call('PUT', project.path(), { key: owner.key, body })).status).toBe(200)
    await call('PUT', project.path(), { key: owner.key, body: shown })
  }
  await patch(project, { text_queries: 'off', text_query_budget: null })
  const uses = { instance_owner: owner.handle, instance_handle: 'dear' }
  expect((await call('PUT', project.path(), { key, body: uses })).status).toBe(200)
})

it('is off when the first key says so, whatever a named key has begun', async () => {
  const { project } = await projectWithProvider({ text_queries: 'members' })
  const { key: first } = project.owner
  const key = await newKey(project.owner, { access: 'write' })
  const properties = Object.fromEntries(
    Array.from({ length: 900 }, (_, index) => [`p${index}`, { minLength: index }]),
  )
  // They take some time, in which the other request overtakes them.
  const begun = Array.from({ length: 6 }, (_, index) => {
    const metadataScheme = JSON.stringify({ title: `${index}`, properties })
    const body = { text_queries: 'members', metadataScheme }
    return call('PATCH', project.path(), { key, body })
  })
  await patch(project, { text_queries: 'off' })
  await Promise.all(begun)
  const { body } = await call('GET', project.path(), { key: first })
  expect(body.text_queries).toBe('off')
})

it('stores nothing for an editor whose share ends while the provider is asked', async () => {
  const { provider, project } = await projectWithProvider({ text_queries: 'members' })
  const items = [{ text_id: 'a', text: 'north' }]
  const sending = [
    (editor: User) => send(project, items, 'embed=true', editor),
    (editor: User) => sendLines(project, items, editor),
  ]
  for (const sent of sending) {
    const editor = await newSharee(project, 'editor')
    provider.respond = (response, received) => {
      const share = `${project.path()}/share/${editor.handle}`
      const ended = call('DELETE', share, { key: project.owner.key })
      void ended.then(() => setTimeout(() => openai(response, received), 50))
    }
    expect((await sent(editor)).status).toBe(403)
  }
  expect(await vectorsOf(project)).toEqual({})
})

it('stores nothing by a metadataScheme that was changed while the vectors were made', async () => {
  const { provider, project } = await projectWithProvider({ metadataScheme: '{}' })
  const items = [{ text_id: 'a', text: 'north' }]
  provider.respond = (response, received) => {
    const changed = setScheme(project, { required: ['book'] })
    void changed.then(() => openai(response, received))
  }
  const { status, body: refused } = await send(project, items)
  expect(status).toBe(409)
  expect(refused.detail).toBe("The project's metadataScheme was changed meanwhile; try again")
  expect(await vectorsOf(project)).toEqual({})
  expect((await send(project, items)).status).toBe(400)
})

it('sends no more at once than the provider takes, and keeps the order', async () => {
  const { provider, project } = await projectWithProvider()
  provider.respond = (response, received) => {
    const isTooMuch = received.body.input.length > 20
    if (isTooMuch) answerJson(response, 413, { error: 'batch size 128 > maximum 20' })
    else openai(response, received)
  }
  const texts = Array.from({ length: 150 }, (_, index) => 'x'.repeat(index + 1))
  const items = texts.map((text, index) => ({ text_id: `t${index}`, text }))
  expect((await send(project, items)).status).toBe(201)
  const stored = await call('GET', `${project.path('embeddings')}/t149`, { key: project.owner.key })
  expect(stored.body.vector).toEqual([150, 1])
  expect(Math.max(...provider.received.map(({ body }) => body.input.length))).toBe(128)
})

it('takes many long vectors until the provider is told how long they are to be', async () => {
  const provider = await startProvider((response, received) => {
    if (received.body.dimensions === 2) return openai(response, received)
    const embedding = Array.from({ length: 3_072 }, (_, index) => Math.sin(index))
    answerJson(response, 200, { data: received.body.input.map(() => ({ embedding })) })
  })
  const project = await projectAt(provider)
  const items = Array.from({ length: 100 }, (_, index) => ({ text_id: `t${index}`, text: 'north' }))
  expect((await send(project, items)).status).toBe(201)
  // As many at once as it has shown to embed in time, and then the others.
  expect(provider.received.map(({ body }) => body.dimensions)).toEqual([undefined, 2, 2])
})

it('takes so many texts in JSON, and any number in lines', async () => {
  const { project } = await projectWithProvider()
  const items = Array.from({ length: 1_001 }, (_, index) => ({ text_id: `${index}`, text: 'a' }))
  expect(await send(project, items)).toMatchObject(refusal(413, 'application/x-ndjson'))
  expect((await sendLines(project, items)).body).toContain('"stored":1001')
})
