import { describe, expect, it } from 'vitest'
import { ask } from '../../support/exports.ts'
import { embedding, newProject, type Project } from '../../support/factories.ts'

const line = (textId: string) => `${JSON.stringify(embedding(textId, [1, 2, 3]))}\n`
async function send(project: Project, body: string) {
  const answer = await ask(project.path('embeddings'), project.owner.key, undefined, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body,
  })
  const text = await answer.text()
  const lines = text.split('\n').filter((part) => part !== '')
  return lines.map((each) => JSON.parse(each))
}

describe('lines without a value', () => {
  it('say their number where a byte order mark stands alone, which it may before a value', async () => {
    const project = await newProject()
    const joined = await send(project, `\uFEFF${line('a')}\uFEFF${line('b')}`)
    expect(joined.at(-1)).toMatchObject({ stored: 2, done: true })
    const alone = await send(project, `\uFEFF\n${line('c')}\uFEFF\n`)
    expect(alone.at(-1)).toMatchObject({ status: 400, detail: expect.stringMatching(/^line 3: /) })
  })

  it('are counted, however many of them are blank', async () => {
    const project = await newProject()
    const blank = '\r\n\n \t\n'.repeat(3_000_000)
    const answer = await send(project, `${blank}  ${line('a')}${'\n'.repeat(70_000)}x`)
    const detail = expect.stringMatching(/^line 9070002: /)
    expect(answer.at(-1)).toMatchObject({ status: 400, detail })
  })
})
