import { describe, expect, it } from 'vitest'
import { textIdsIn } from '../support/data/embeddings.ts'
import { ask } from '../support/exports.ts'
import { embedding, newProject, type Project } from '../support/factories.ts'

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

describe('lines that are no values', () => {
  it('are refused also where they would close the list around them', async () => {
    const project = await newProject()
    const whole = line('a').trim()
    for (const bad of [
      `${whole}],"x":[${whole}`,
      `${whole}],"embeddings":[${whole}`,
      `${whole}]}`,
    ]) {
      expect((await send(project, bad)).at(-1)).toMatchObject({ line: 1, stored: 0 })
      expect((await send(project, `${line('b')}${bad}`)).at(-1)).toMatchObject({ line: 2 })
    }
    expect(await textIdsIn(project)).toEqual([])
  })
})
