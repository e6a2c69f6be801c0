import { describe, expect, it } from 'vitest'
import { maxBodyBytes } from '../../support/app.ts'
import { call } from '../../support/client.ts'
import { searchBatch } from '../../support/data/similars.ts'
import {
  addProject,
  embedding,
  newLoan,
  newProject,
  newSharee,
  newUser,
  type Project,
  type User,
} from '../../support/factories.ts'

// Each answer is held against the schema of errors by `call`.

const detailOf = async (project: Project, path: string, body: unknown) => {
  const { status, body: answer } = await call('POST', path, { key: project.owner.key, body })
  expect(status).toBe(400)
  return answer.detail
}

describe('a refusal says what would be right', () => {
  it('where include is a string', async () => {
    const project = await newProject()
    const asked = { vector: [1, 0, 0], include: 'text' }
    const message = 'include: must be an array of names, such as ["text"]'
    expect(await detailOf(project, project.path('similars'), asked)).toBe(message)
    const { body } = await searchBatch(project, asked)
    expect(body.answers[0].error.detail).toBe(`searches[0].${message}`)
  })

  it('where a list is no list, without a word about its length', async () => {
    const project = await newProject()
    const paths = {
      [`${project.path('similars')}/batch`]: { searches: 's'.repeat(200) },
      [`${project.path('embeddings')}/delete`]: { text_ids: 't'.repeat(20_000) },
      [`${project.path('embeddings')}/missing`]: { items: '' },
    }
    for (const [path, body] of Object.entries(paths)) {
      expect(await detailOf(project, path, body)).toMatch(
        /^(searches|text_ids|items): Invalid input: expected array, received string$/,
      )
    }
  })

  it.each([
    ['', 'embeddings', 'embeddings'],
    ['/delete', 'embeddings', 'text_ids'],
    ['/missing', 'embeddings', 'items'],
    ['/batch', 'similars', 'searches'],
  ])('where the list of …%s (%s) is all of the body', async (rest, collection, field) => {
    const project = await newProject()
    for (const body of [[], [embedding('a', [1, 0, 0])]]) {
      expect(await detailOf(project, project.path(collection) + rest, body)).toBe(
        `The body must be an object that has the list in a field: {"${field}": […]}`,
      )
    }
  })

  it('where lines, or too much, are uploaded as JSON', async () => {
    const project = await newProject()
    const { key } = project.owner
    const send = (raw: string) => call('POST', project.path('embeddings'), { key, raw })
    const lines = ['a', 'b'].map((textId) => JSON.stringify(embedding(textId, [1, 0, 0])))
    for (const end of ['\n', '\r\n']) {
      const { status, body } = await send(lines.join(end))
      expect(status).toBe(400)
      const byte = `byte ${(lines[0]?.length ?? 0) + end.length}`
      expect(body.detail).toBe(
        `The body is not valid JSON, more follows behind its end, as in lines of JSON, which an upload takes as application/x-ndjson: ${byte}`,
      )
    }
    const large = await send(' '.repeat(maxBodyBytes + 1))
    expect(large.status).toBe(413)
    expect(large.body.detail).toBe(
      `The body is larger than the limit of ${maxBodyBytes} bytes; an upload of lines (application/x-ndjson) may have any length`,
    )
    const batch = await call('POST', `${project.path('similars')}/batch`, {
      key,
      raw: ' '.repeat(maxBodyBytes + 1),
    })
    expect(batch.body.detail).toBe(`The body is larger than the limit of ${maxBodyBytes} bytes`)
  })
})

const plain = 'You have no permission for this operation'
const needing = (roles: string, own: string) => `${plain}: it needs the role ${roles}, and ${own}`

describe('who has too low a role learns which would do', () => {
  const asked = async (method: string, path: string, { key }: User, body?: object) => {
    const answer = await call(method, path, { key, body })
    expect(answer.status).toBe(403)
    expect(answer.body.title).toBe('Forbidden')
    return answer.body.detail
  }

  it('with a share of the project', async () => {
    const project = await newProject()
    const [reader, editor] = [
      await newSharee(project, 'reader'),
      await newSharee(project, 'editor'),
    ]
    const items = { embeddings: [embedding('a', [1, 0, 0])] }
    const embeddings = project.path('embeddings')
    expect(await asked('POST', embeddings, reader, items)).toBe(
      needing('editor or owner', 'yours is reader'),
    )
    expect(await asked('DELETE', embeddings, editor)).toBe(needing('owner', 'yours is editor'))
    const share = `${project.path()}/share/${editor.handle}`
    expect(await asked('DELETE', share, reader)).toBe(needing('owner', 'yours is reader'))
  })

  it('with a share of the instance', async () => {
    const { owner: reader, path } = await newLoan()
    expect(await asked('PATCH', path, reader, {})).toBe(needing('owner', 'yours is reader'))
  })

  it('where the project is public', async () => {
    const [project, stranger] = [await newProject({ public_read: true }), await newUser('stranger')]
    expect(await asked('DELETE', project.path(), stranger)).toBe(needing('owner', 'you have none'))
    expect(await asked('DELETE', `${project.path('embeddings')}/a`, stranger)).toBe(
      needing('editor or owner', 'you have none'),
    )
  })

  it('and not with a share of another project alone', async () => {
    const { owner, path } = await newProject()
    const neighbour = await newSharee(await addProject(owner, 'other'), 'editor')
    expect(await asked('DELETE', path(), neighbour)).toBe(plain)
  })
})
