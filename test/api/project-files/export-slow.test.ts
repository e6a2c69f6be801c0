import { describe, expect, it, onTestFinished } from 'vitest'
import {
  ask,
  exported,
  exportPath,
  projectOfLongTexts,
  unwatchedApp,
} from '../../support/exports.ts'
import type { Project } from '../../support/factories.ts'

/** Of many parts, however they are cut. */
const largeProject = (fields: object = {}) => projectOfLongTexts(600, fields)

interface Begun {
  readonly status: number
  readonly read: () => Promise<boolean>
}

/** An export of which nothing is read but on demand. */
async function begin(project: Project, key: string | undefined, app: Asked): Promise<Begun> {
  const gone = new AbortController()
  onTestFinished(() => gone.abort())
  const answer = await ask(exportPath(project), key, app, { signal: gone.signal })
  const reader = answer.body?.getReader()
  onTestFinished(() => reader?.cancel().catch(() => {}))
  return { status: answer.status, read: async () => (await reader?.read())?.done === true }
}
type Asked = Awaited<ReturnType<typeof unwatchedApp>>['app']

/** Whether it ended before its end. */
async function isBrokenOff({ read }: Begun): Promise<boolean> {
  try {
    while (!(await read()));
    return false
  } catch (error) {
    expect(error).toMatchObject({ kind: expect.stringMatching(/^(timed-out|unavailable)$/) })
    return true
  }
}

describe('readers of exports without a key', () => {
  it('leave a place to those with a key, however many they are and whatever they read', async () => {
    const projects = await Promise.all([1, 2, 3].map(() => largeProject({ public_read: true })))
    const [first] = projects
    if (first === undefined) throw new Error('no project')
    const { app } = await unwatchedApp()
    const slow = await begin(first, undefined, app)
    expect(slow.status).toBe(200)
    for (const project of projects.slice(1)) void begin(project, undefined, app).catch(() => {})
    for (const project of projects) {
      const file = await exported(project, 'format=semblance', project.owner, app)
      expect(file.length).toBeGreaterThan(600 * 9_000)
    }
  })

  it('give their place up for one with a key, when that has no other', async () => {
    const { app } = await unwatchedApp({ readerTickMs: 200 })
    const [open, one, two] = await Promise.all([
      largeProject({ public_read: true }),
      largeProject(),
      largeProject(),
    ])
    const keyless = await begin(open, undefined, app)
    const keyed = await begin(one, one.owner.key, app)
    // It reads on and on, as does the one with a key.
    const reading = setInterval(() => void keyed.read().catch(() => {}), 300)
    onTestFinished(() => clearInterval(reading))
    await exported(two, '', two.owner, app)
    expect(await isBrokenOff(keyless)).toBe(true)
    expect(keyed.status).toBe(200)
  })
})

describe('an export that is read slowly', () => {
  it('comes in pieces that are small beside what may be read late', async () => {
    const { app } = await unwatchedApp()
    const project = await largeProject()
    for (const format of ['ndjson', 'semblance']) {
      const { body } = await ask(exportPath(project, `format=${format}`), project.owner.key, app)
      // Of the grace it takes 4 seconds to read each, or while others wait one.
      for await (const piece of body ?? []) expect(piece.length).toBeLessThanOrEqual(256 * 1024)
    }
  })

  it.each([
    ['never', 0],
    ['up to its middle', 3],
  ])('loses its place to who waits for it: %s', async (_, parts) => {
    const { app } = await unwatchedApp({ readerTickMs: 100 })
    const [one, two, project] = [await largeProject(), await largeProject(), await largeProject()]
    const slow: Begun[] = []
    for (const project of [one, two]) {
      const begun = await begin(project, project.owner.key, app)
      for (let part = 0; part < parts; part += 1) expect(await begun.read()).toBe(false)
      slow.push(begun)
    }
    await exported(project, '', project.owner, app)
    expect(await Promise.all(slow.map(isBrokenOff))).toContain(true)
  })
})
