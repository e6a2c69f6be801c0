import { Worker } from 'node:worker_threads'
import { eq } from 'drizzle-orm'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { collectionChanges, embeddings } from '../../../src/db/schema.ts'
import { refusal } from '../../support/data/refusals.ts'
import { embedding } from '../../support/factories.ts'
import { askerOf } from '../../support/servers/own-projects.ts'
import { startBeside } from '../../support/servers/own-service.ts'
import { type ServiceOfAnn, startServiceOfAnn } from '../../support/servers/service-of-ann.ts'
import { waitUntil } from '../../support/wait.ts'

type Client = Pick<ServiceOfAnn, 'send'>

async function startWith(maxWordBytes: number) {
  const service = await startServiceOfAnn({ maxWordBytes, maxBody: 2 ** 24 }, 1)
  // Each has connections, and all tests together would need more than PostgreSQL gives.
  onTestFinished(service.close)
  return service
}

async function upload(
  service: ServiceOfAnn,
  project: string,
  texts: Readonly<Record<string, string>>,
) {
  const named = { instance_owner: 'ann', instance_handle: 'model' }
  await service.send('PUT', `/v1/projects/ann/${project}`, named)
  const embeddings = Object.entries(texts).map(([id, text]) => embedding(id, [1], { text }))
  const { status } = await service.upload(project, embeddings, '?on_conflict=replace')
  expect(status).toBeLessThan(300)
}

const search = (client: Client, project: string, words: string) =>
  client.send('POST', `/v1/similars/ann/${project}`, { words })

const idsFor = async (client: Client, project: string, words: string) => {
  const answer = await search(client, project, words)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body.results.map(({ id }: { id: string }) => id)
}

async function gauge(client: Client, name: string): Promise<number> {
  const { body } = await client.send('GET', '/metrics')
  return Number(new RegExp(`^semblance_word_${name} (\\d+)$`, 'm').exec(body)?.[1])
}

describe('the memory for words', () => {
  /** Takes more than 100,000 bytes, and less than 300,000. */
  const many = Object.fromEntries(
    Array.from({ length: 1_000 }, (_, at) => [`t${at}`, `hay and straw ${at}`]),
  )

  it('is refused to a project that needs more, and given to others', async () => {
    const service = await startWith(100_000)
    await upload(service, 'large', many)
    await upload(service, 'small', { a: 'a needle' })
    for (let time = 0; time < 2; time += 1) {
      expect(await search(service, 'large', 'straw')).toMatchObject(
        refusal(422, 'SERVICE_VECTORMEMORY'),
      )
      expect(await idsFor(service, 'small', 'needle')).toEqual(['a'])
    }
  })

  it('is taken from those that were not searched for longest', async () => {
    const service = await startWith(900_000)
    for (const project of ['one', 'two', 'three', 'four']) {
      await upload(service, project, { ...many, needle: `a needle in ${project}` })
    }
    const told = vi.spyOn(Worker.prototype, 'postMessage')
    const count = (what: string) =>
      told.mock.calls.filter(([{ request }]) => request?.do === what && !request.texts?.length)
        .length
    const find = async (project: string) =>
      expect(await idsFor(service, project, `needle ${project}`)).toEqual(['needle'])
    for (const project of ['one', 'two', 'one']) await find(project)
    expect([count('put'), count('drop')]).toEqual([2, 0])
    for (const project of ['three', 'one']) await find(project)
    expect([count('put'), count('drop')]).toEqual([3, 1])
    await find('two')
    expect([count('put'), count('drop')]).toEqual([4, 2])
    await Promise.all(['four', 'one', 'three', 'two', 'four', 'three', 'one'].map(find))
    expect(await gauge(service, 'memory_dropped_total')).toBe(count('drop'))
    told.mockRestore()
  })

  it('is refused to a project that has grown', async () => {
    const service = await startWith(1_000_000)
    await upload(service, 'texts', many)
    expect(await idsFor(service, 'texts', '"straw 7"')).toEqual(['t7'])
    const more = Object.fromEntries(
      Object.entries(many).map(([id, text]) => [id, `${text} `.repeat(40)]),
    )
    await upload(service, 'texts', more)
    const { status } = await search(service, 'texts', 'straw')
    expect(status).toBe(422)
  })
})

it('is said to be read anew to the searches by words of a batch, and to no others', async () => {
  const service = await startWith(1_000_000)
  await upload(service, 'texts', { a: 'hay', b: 'straw' })
  const post = Worker.prototype.postMessage
  const told = vi.spyOn(Worker.prototype, 'postMessage')
  onTestFinished(() => told.mockRestore())
  told.mockImplementation(function endOrPost(this: Worker, message, ...others) {
    if (message.request?.do === 'search') void this.terminate()
    else post.call(this, message, ...others)
  })
  const send = (...searches: object[]) =>
    service.send('POST', '/v1/similars/ann/texts/batch', { searches })
  const { body } = await send({ words: 'hay' }, { text_id: 'a' }, { text_id: 'b', words: 'hay' })
  const error = { status: 503, detail: expect.stringContaining('words') }
  expect(body.answers).toMatchObject([{ error }, { results: [{ id: 'b' }] }, { error }])
  expect((await send({ words: 'hay' }, { words: 'straw' })).status).toBe(503)
  told.mockRestore()
  expect(await idsFor(service, 'texts', 'hay')).toEqual(['a'])
})

it('finds what is committed while the texts are first read', async () => {
  const service = await startWith(10_000_000)
  const many = Array.from({ length: 20_000 }, (_, at) => [`t${at}`, `straw ${at}`])
  await upload(service, 'texts', Object.fromEntries(many))
  const first = idsFor(service, 'texts', '"straw 19000"')
  await upload(service, 'texts', { t0: 'a needle' })
  expect(await idsFor(service, 'texts', 'needle')).toEqual(['t0'])
  expect(await idsFor(service, 'texts', '"straw 0"')).toEqual([])
  expect(await first).toEqual(['t19000'])
})

it('is read anew after a failover, when revisions may stand for other texts', async () => {
  const service = await startWith(1_000_000)
  await upload(service, 'texts', { a: 'hay' })
  expect(await idsFor(service, 'texts', 'hay')).toEqual(['a'])
  const told = vi.spyOn(Worker.prototype, 'postMessage')
  const begun = () =>
    told.mock.calls.filter(([{ request }]) => request?.do === 'put' && request.texts.length === 0)
  expect(await idsFor(service, 'texts', 'hay')).toEqual(['a'])
  expect(begun()).toHaveLength(0)
  const before = service.database.history()
  vi.spyOn(service.database, 'history').mockReturnValue(before + 1)
  expect(await idsFor(service, 'texts', 'hay')).toEqual(['a'])
  expect(begun()).toHaveLength(1)
  vi.restoreAllMocks()
})

it('finds what another server has changed, also long ago', async () => {
  const service = await startWith(1_000_000)
  const { database } = service
  const other: Client = { send: askerOf(startBeside(service)) }
  await upload(service, 'texts', { a: 'hay', b: 'straw' })
  expect(await idsFor(other, 'texts', 'hay straw')).toEqual(['a', 'b'])
  await upload(service, 'texts', { b: 'hay', c: 'needle' })
  await service.send('DELETE', '/v1/embeddings/ann/texts/a')
  expect(await idsFor(other, 'texts', 'hay needle')).toEqual(['b', 'c'])
  expect(await idsFor(other, 'texts', 'straw')).toEqual([])
  await upload(service, 'texts', { d: 'straw' })
  const changedAt = new Date(Date.now() - 3_600_000)
  await database.maintenance.db.update(collectionChanges).set({ changedAt })
  await service.cleaner.clean()
  expect(await idsFor(other, 'texts', 'straw')).toEqual(['d'])
})

it('remembers what a filter keeps until the project changes', async () => {
  const service = await startWith(1_000_000)
  await upload(service, 'texts', { a: 'hay', b: 'hay', c: 'hay' })
  const find = async () => {
    const filter = { text_id: { $in: ['a', 'b'] } }
    const { body } = await service.send('POST', '/v1/similars/ann/texts', {
      words: 'hay',
      filter,
    })
    return body.results.map(({ id }: { id: string }) => id)
  }
  for (let time = 0; time < 2; time += 1) expect(await find()).toEqual(['a', 'b'])
  // Nobody is told of this, so only who asks the database would see it.
  await service.database.maintenance.db.delete(embeddings).where(eq(embeddings.textId, 'a'))
  expect(await find()).toEqual(['a', 'b'])
  await upload(service, 'texts', { d: 'hay' })
  expect(await find()).toEqual(['b'])
})

describe('the reading of words', () => {
  const aText = 'straw and hay '.repeat(300)
  /** Is read in some dozens of turns. */
  const large = Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`t${at}`, aText]))

  it('takes turns, says what else is read, and ends when nobody waits', async () => {
    const service = await startWith(50_000_000)
    await upload(service, 'large', large)
    await service.send('PATCH', '/v1/projects/ann/large', { public_read: true })
    await upload(service, 'small', { a: 'a needle' })
    const post = Worker.prototype.postMessage
    const told = vi.spyOn(Worker.prototype, 'postMessage')
    onTestFinished(() => told.mockRestore())
    const readFor: unknown[] = []
    told.mockImplementation(function note(this: Worker, message, ...others) {
      if (message.request?.do === 'put') readFor.push(service.database.requester())
      post.call(this, message, ...others)
    })
    const put = () => readFor.length
    const hangUp = new AbortController()
    const first = service.app.request('/v1/similars/ann/large?words=hay', { signal: hangUp.signal })
    await waitUntil(() => put() > 1, 5)
    expect(await gauge(service, 'readings')).toBe(1)
    expect(await gauge(service, 'readings_embeddings')).toBeGreaterThan(100)
    expect(await idsFor(service, 'small', 'needle')).toEqual(['a'])
    expect(await gauge(service, 'readings')).toBe(1)
    hangUp.abort()
    await Promise.allSettled([first])
    await waitUntil(async () => (await gauge(service, 'readings')) === 0)
    const before = put()
    expect(await idsFor(service, 'small', 'needle')).toEqual(['a'])
    expect(put()).toBe(before)
    expect(await gauge(service, 'memory_projects')).toBe(1)
    // On a slow machine it goes on where the one before has given up.
    await waitUntil(async () => (await search(service, 'large', 'hay')).status === 200)
    expect(await gauge(service, 'memory_projects')).toBe(2)
    // What is done for one who hangs up would be refused to others who wait for it.
    expect(new Set(readFor)).toEqual(new Set([undefined]))
  })
})
