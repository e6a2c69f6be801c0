import { expect, it } from 'vitest'
import type { Requester } from '../../src/concurrency/limiter.ts'
import { FairReading } from '../../src/search/held/fair-reading.ts'
import { waitUntil } from '../support/wait.ts'

const requester = (name: string, signal = new AbortController().signal): Requester => ({
  name,
  signal,
})
const inAMinute = () => performance.now() + 60_000

/** A project of a number of texts, each of which takes a turn. Notes what is read. */
class Project {
  readonly name: string
  left: number
  readonly isAgain: boolean
  readonly #read: string[]

  constructor(read: string[], name: string, left: number, isAgain = false) {
    this.#read = read
    this.name = name
    this.left = left
    this.isAgain = isAgain
  }

  readonly isRead = () => this.left === 0

  async step() {
    // As long as a turn, so that a next step needs a next turn.
    await new Promise((resolve) => setTimeout(resolve, 55))
    this.#read.push(this.name)
    this.left -= 1
    return this.left > 0
  }
}

function reading() {
  const fair = new FairReading()
  const read: string[] = []
  return {
    fair,
    read,
    project: (name: string, left: number, isAgain = false) =>
      new Project(read, name, left, isAgain),
    wait: (project: Project, whom: Requester | undefined, until = inAMinute()) =>
      fair.waitFor(project, project.isRead, whom, until),
  }
}

it('takes turns among requesters, and reads the least of each first', async () => {
  const { read, project, wait } = reading()
  const [ann, bob] = [requester('ann'), requester('bob')]
  const large = project('large', 4)
  const waiting = [wait(large, ann), wait(project('middle', 2), ann), wait(large, ann)]
  waiting.push(wait(project('small', 1), bob), wait(project('other', 2), bob))
  expect(await Promise.all(waiting)).toEqual(Array(5).fill(true))
  expect(read.indexOf('small')).toBeLessThan(3)
  expect(read.slice(1).indexOf('large')).toBeGreaterThan(read.lastIndexOf('middle') - 1)
  expect(read.at(-1)).toBe('large')
})

it('stops when nobody waits any more, and goes on where it was', async () => {
  const { fair, read, project, wait } = reading()
  const hangUp = new AbortController()
  const large = project('large', 30)
  const gone = wait(large, requester('ann', hangUp.signal))
  await waitUntil(() => read.length > 1)
  hangUp.abort()
  await expect(gone).rejects.toMatchObject({ kind: 'cancelled' })
  expect(fair.awaited()).toEqual({ projects: 0, embeddings: 0 })
  const { left } = large
  await wait(project('next', 3), requester('bob'))
  expect(large.left).toBe(left)
  const late = wait(large, undefined, performance.now() + 100)
  expect(fair.awaited()).toEqual({ projects: 1, embeddings: left })
  expect(fair.awaited(large).projects).toBe(0)
  expect(await late).toBe(false)
  expect(large.left).toBeLessThan(left)
})

it('goes on with others while a step takes long', async () => {
  const { read, project, wait } = reading()
  const stuck = project('stuck', 1)
  let release = () => {}
  const step = new Promise<boolean>((resolve) => {
    release = () => {
      stuck.left = 0
      resolve(false)
    }
  })
  const waiting = wait(Object.assign(stuck, { step: () => step }), requester('ann'))
  expect(await wait(project('other', 2), requester('bob'))).toBe(true)
  expect(read).toEqual(['other', 'other'])
  release()
  expect(await waiting).toBe(true)
})

it('gives what is read again only a share of the time', async () => {
  const { read, project, wait } = reading()
  const again = ['one', 'two', 'three'].map((name) => project(name, 4, true))
  const waiting = again.map((each) => wait(each, requester(each.name)))
  await wait(project('new', 8), requester('bob'))
  // Of so many in turn with three others, a quarter would be new.
  expect(read.filter((name) => name === 'new').length).toBeGreaterThanOrEqual(read.length / 2)
  await Promise.all(waiting)
  expect(read.length).toBe(20)
})
