import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { neighbourLimits } from '../../../src/neighbours/limits.ts'
import { call } from '../../support/client.ts'
import { beginNeighbours, neighboursOf, readLines } from '../../support/data/neighbours.ts'
import { unwatchedApp } from '../../support/exports.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'
import { waitUntil } from '../../support/wait.ts'

const { app } = await unwatchedApp()

async function withEmbeddings(fields: object = {}): Promise<Project> {
  const project = await newProject(fields, { dimensions: 2 })
  const ids = Array.from({ length: 300 }, (_, at) => `t${at}`)
  await upload(project, ...ids.map((id, at) => embedding(id, [1, at / 300])))
  return project
}

/** The same again, until its place is free. */
async function untilFree(project: Project): Promise<void> {
  for (;;) {
    const answer = await beginNeighbours(app, project, project.owner.key)
    const text = await answer.text()
    if (answer.status === 200) return expect(readLines(text).last.done).toBe(true)
    expect(answer.status).toBe(409)
    await sleep(10)
  }
}

/** One place for all but the smallest. */
const oneLarge = { ...neighbourLimits, small: 1_000, atOnce: 1 }

describe('while all neighbours are computed', () => {
  it('small requests of others need not wait for a large one', async () => {
    const { app: narrow } = await unwatchedApp({ neighbourLimits: oneLarge })
    const [large, small] = await Promise.all([
      withEmbeddings({ public_read: true }),
      newProject({}, { dimensions: 2 }),
    ])
    await upload(small, embedding('a', [1, 0]), embedding('b', [1, 1]))
    const held = await beginNeighbours(narrow, large, undefined)
    for (let count = 0; count < 2; count += 1) {
      const answer = await beginNeighbours(narrow, small, small.owner.key)
      expect(answer.status).toBe(200)
      expect(readLines(await answer.text()).rows).toHaveLength(2)
    }
    expect(readLines(await held.text()).rows).toHaveLength(300)
  })

  it('the same caller gets 409 for more of them, until the first are read', async () => {
    const project = await withEmbeddings()
    const { key } = project.owner
    const first = await beginNeighbours(app, project, key)
    expect(first.status).toBe(200)
    const second = await beginNeighbours(app, project, key)
    expect(await second.json()).toMatchObject({
      status: 409,
      detail: 'You have one request for all neighbours at work already; wait until it has ended',
    })
    expect(readLines(await first.text()).rows).toHaveLength(300)
    expect(await neighboursOf(project)).toHaveLength(300)
  })

  it.each(['after a part', 'before anything'])(
    'a client who goes %s is read makes room',
    async (when) => {
      const project = await withEmbeddings()
      const client = new AbortController()
      const { body } = await beginNeighbours(app, project, project.owner.key, {}, client.signal)
      const reader = body?.getReader()
      if (when === 'after a part') await reader?.read()
      else client.abort()
      await reader?.cancel()
      await untilFree(project)
    },
  )

  it('a reader who reads nothing loses the place, and is told so', async () => {
    const { app: hasty } = await unwatchedApp({ readerTickMs: 1 })
    const [slow, other] = await Promise.all([withEmbeddings(), withEmbeddings()])
    const begun = await beginNeighbours(hasty, slow, slow.owner.key)
    // By then the place is free, for the same caller too.
    for (const project of [slow, other]) {
      await waitUntil(async () => {
        const answer = await beginNeighbours(hasty, project, project.owner.key)
        await answer.text()
        return answer.status === 200
      }, 20)
    }
    const { last } = readLines(await begun.text())
    expect(last.error).toMatchObject({
      status: 408,
      detail: expect.stringContaining('The answer was read too slowly'),
    })
  })

  it('a project that is emptied ends the answer with an error', async () => {
    const project = await withEmbeddings()
    const { key } = project.owner
    const begun = await beginNeighbours(app, project, key)
    await call('DELETE', project.path('embeddings'), { key })
    const { last } = readLines(await begun.text())
    expect(last).toEqual({
      error: {
        title: 'Conflict',
        status: 409,
        detail: 'The project was emptied or deleted while its neighbours were computed; try again',
      },
    })
    expect(await neighboursOf(project)).toEqual([])
  })
})

it('all neighbours of a public project are for everybody, in turn', async () => {
  const { app: narrow } = await unwatchedApp({ neighbourLimits: oneLarge })
  const project = await withEmbeddings({ public_read: true })
  const first = await beginNeighbours(narrow, project, undefined)
  const second = beginNeighbours(narrow, project, undefined)
  const { rows } = readLines(await first.text())
  expect(rows).toEqual(await neighboursOf(project))
  const answer = await second
  expect(answer.status).toBe(200)
  expect(readLines(await answer.text()).rows).toEqual(rows)
})

describe('a project that is too large for comparing all with all', () => {
  const limits = { ...neighbourLimits, components: 10_000, vectors: 20 }

  it('is refused where nothing else can answer', async () => {
    const { app: small } = await unwatchedApp({ neighbourLimits: limits })
    const project = await withEmbeddings()
    const detail = async (body: object) => {
      const answer = await beginNeighbours(small, project, project.owner.key, body)
      expect(answer.status).toBe(422)
      return Object(await answer.json()).detail
    }
    const all =
      'All embeddings are compared with all up to 10000 components (embeddings × dimensions) and 20 embeddings'
    const fewer = 'ask for fewer with a filter'
    expect(await detail({})).toBe(
      `${all}, and this project has no index to search in beyond that; ${fewer}`,
    )
    expect(await detail({ exact: true })).toBe(`${all}; ${fewer}`)
    expect(await detail({ different: 'ref.book' })).toBe(`${all}; ${fewer}`)
    expect(await detail({ filter: { text_id: { $gt: 't' } } })).toBe(`${all}; ${fewer}`)
    const few = { text_id: { $prefix: 't10' } }
    const answer = await beginNeighbours(small, project, project.owner.key, { filter: few })
    const { rows } = readLines(await answer.text())
    expect(rows).toEqual(await neighboursOf(project, { filter: few }))
  })
})
