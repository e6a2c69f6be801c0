import { describe, expect, it, onTestFinished } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { ask, exported, importPath, linesOf, sealed, unwatchedApp } from '../../support/exports.ts'
import {
  embedding,
  newInstance,
  newProject,
  newUser,
  type Project,
  projectNamed,
  upload,
} from '../../support/factories.ts'
import { slowBody } from '../../support/ndjson.ts'

const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')

/** The lines of a file of a few embeddings, changed and sealed anew. */
async function fileLines(change: (first: string) => string = (first) => first) {
  const project = await newProject()
  await upload(project, ...['a', 'b', 'c'].map((id) => embedding(id, [1, 2, 3])))
  const [first = '', ...rest] = linesOf(await exported(project, 'format=semblance'))
  return linesOf(sealed([change(first), ...rest]))
}

/** An import whose body is sent part by part, and whose answer is read line by line. */
async function slowImport(project: Project, first: string, query = '', on = unwatchedApp()) {
  const { body, send, end, breakOff } = slowBody()
  send(first)
  const { app, cleaner } = await on
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit
  const answer = await ask(importPath(project, query), project.owner.key, app, init)
  const reader = answer.body?.getReader()
  const next = async () => new TextDecoder().decode((await reader?.read())?.value)
  // As a connection that is closed: both ways at once.
  const leave = () => {
    breakOff()
    return reader?.cancel()
  }
  return { status: answer.status, send, end, next, leave, cleaner }
}

describe('an import that takes its time', () => {
  it.each([
    ['dimensions', { dimensions: 5 }, "'small' with 5 dimensions"],
    ['model', { model: 'large' }, "'large' with 3 dimensions"],
  ])('is refused when the instance gets another %s meanwhile', async (_, change, after) => {
    const lines = await fileLines((first) =>
      first.replace(/"instance":\{[^}]*\}/, '"instance":null'),
    )
    const owner = await newUser()
    await newInstance(owner)
    const project = projectNamed(owner, 'copy')
    const slow = await slowImport(project, text(lines.slice(0, 2)), 'instance_handle=model')
    expect(await slow.next()).toBe('{"stored":0,"embeddings":3}\n')
    const path = `/v1/llm-services/${owner.handle}/model`
    expect((await call('PATCH', path, { key: owner.key, body: change })).status).toBe(200)
    slow.send(text(lines.slice(2)))
    slow.end()
    expect(await slow.next()).toBe('{"stored":3,"embeddings":3}\n')
    expect(JSON.parse(await slow.next()).error).toMatchObject({
      status: 409,
      detail: `LLM service instance '${owner.handle}/model' was changed while the file came in, from model 'small' with 3 dimensions to model ${after}; import the file again with an instance that fits it`,
    })
    expect((await call('GET', project.path(), { key: owner.key })).status).toBe(404)
  })

  it('keeps nobody else from importing, however many of them there are', async () => {
    const lines = await fileLines()
    const users = [await newUser(), await newUser()]
    const app = unwatchedApp()
    for (const [index, owner] of users.entries()) {
      for (const handle of ['p', 'q', 'r', 's', 't']) {
        const slow = await slowImport(projectNamed(owner, handle), text(lines.slice(0, 2)), '', app)
        expect(slow.status, `${index} ${handle}`).toBe(200)
        // Fast enough for a body, in the middle of a line.
        slow.send('{"text_id":"b","text":"')
        const timer = setInterval(() => slow.send('x'.repeat(20 * 1024)), 1_000)
        onTestFinished(() => {
          clearInterval(timer)
          return slow.leave()
        })
      }
    }
    const other = projectNamed(await newUser(), 'copy')
    const quick = await slowImport(other, text(lines), '', app)
    quick.end()
    expect(quick.status).toBe(200)
    expect(await quick.next()).toBe('{"stored":0,"embeddings":3}\n')
    expect(await quick.next()).toBe('{"stored":3,"embeddings":3}\n')
    expect(await quick.next()).toContain('imported')
  })

  it('is not seen, and not cleaned up, before all of it is in', async () => {
    const project = await newProject()
    const items = Array.from({ length: 1_500 }, (_, n) => embedding(`t${n}`, [1, n, 3]))
    await upload(project, ...items)
    const file = await exported(project, 'format=semblance')
    const lines = linesOf(file)
    const copy = projectNamed(await newUser(), 'copy')
    const slow = await slowImport(copy, text(lines.slice(0, 1_200)))
    expect(await slow.next()).toBe('{"stored":0,"embeddings":1500}\n')
    expect(await slow.next()).toBe('{"stored":1000,"embeddings":1500}\n')
    expect((await call('GET', copy.path(), copy.owner)).status).toBe(404)
    await slow.cleaner.clean()
    slow.send(text(lines.slice(1_200)))
    slow.end()
    expect(await slow.next()).toBe('{"stored":1500,"embeddings":1500}\n')
    expect(JSON.parse(await slow.next())).toMatchObject({ embeddings: 1_500 })
    expect(await slow.next()).toBe('')
    expect((await exported(copy, 'format=semblance')).equals(file)).toBe(true)
  })

  it('ends with the first embedding that was not announced', async () => {
    const lines = await fileLines((first) => first.replace('"embeddings":3', '"embeddings":2'))
    const project = projectNamed(await newUser(), 'copy')
    const slow = await slowImport(project, text(lines.slice(0, 4)))
    expect(await slow.next()).toBe('{"stored":0,"embeddings":2}\n')
    expect(JSON.parse(await slow.next()).error).toMatchObject({
      status: 400,
      detail: "line 4: the file's first line announces 2 embeddings, and this is one more",
    })
    await slow.leave()
  })

  it('is refused when its key is replaced meanwhile', async () => {
    const lines = await fileLines()
    const project = projectNamed(await newUser(), 'copy')
    const slow = await slowImport(project, text(lines.slice(0, 2)))
    expect(await slow.next()).toBe('{"stored":0,"embeddings":3}\n')
    await asAdmin('POST', `/v1/users/${project.owner.handle}/rotate-key`)
    slow.send(text(lines.slice(2)))
    slow.end()
    const told = [await slow.next(), await slow.next()].join('')
    expect(told).toContain('"status":401')
    expect((await asAdmin('GET', project.path())).status).toBe(404)
  })
})
