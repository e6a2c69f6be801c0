import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import {
  newProjectOf,
  pathTo,
  queryFor,
  read,
  send,
  textIdsIn,
} from '../../support/data/embeddings.ts'
import { refusal } from '../../support/data/refusals.ts'
import { byBytes } from '../../support/data/vectors.ts'
import { embedding, newProject, upload } from '../../support/factories.ts'

/** What proxies, routers and query strings like to change. */
const odd = [
  ...['a/b', '/', 'a//b/', '/v1/users', 'a%2Fb', '%2F', '%', '100%', '%25', '%2525', '%zz', '%ff%'],
  ...['%C3%A9', 'two words', ' ', ' edges ', '+', 'a+b', '...', '../x', '..%2F', '?', '#'],
  ...['a?b=c&d#e', 'text_id=x', '"', "'", "'; drop table embeddings; --", '\\', '\\u0041'],
  ...['{username}', ':identifier', '*', '\t\r\n', '\u007f\u0001', 'é', 'e\u0301', '漢字', '😀'],
  ...['👩‍👩‍👧', '\ufeff', '\ufffd', '\u202egnp.exe', '\u{10ffff}', '__proto__', 'constructor'],
  ...['null', 'shared-with', '.', '..', 'a', 'A', 'ａ', 'a '],
]

/** URLs resolve away what is nothing but dots. */
const namersOf = (textId: string) => (/^\.\.?$/.test(textId) ? [queryFor] : [queryFor, pathTo])

describe('odd text_ids', () => {
  it('are answered as they were sent, and listed in the order of their bytes', async () => {
    const project = await newProject()
    const answer = await send(project, ...odd.map((textId) => embedding(textId, [1, 2, 3])))
    expect(answer).toMatchObject({ status: 201, body: { uploaded: odd } })
    expect(await textIdsIn(project)).toEqual(odd.toSorted(byBytes))
  })

  it('name one embedding by path and by query, to be read, searched for and deleted', async () => {
    const project = await newProjectOf(...odd)
    for (const textId of odd) {
      for (const nameOf of namersOf(textId)) {
        const found = await read(project, nameOf(project, textId))
        expect(found, textId).toMatchObject({ status: 200, body: { text_id: textId } })
        const similar = await read(project, nameOf(project, textId, 'similars'))
        expect(similar.status, textId).toBe(200)
        expect(similar.body.results.length).toBe(10)
      }
    }
    const { key } = project.owner
    for (const [index, textId] of odd.entries()) {
      const namers = namersOf(textId)
      const nameOf = namers[index % namers.length] ?? queryFor
      const gone = await call('DELETE', nameOf(project, textId), { key })
      expect(gone, textId).toMatchObject({
        status: 200,
        body: { message: `Embedding '${textId}' deleted` },
      })
      expect((await textIdsIn(project)).length).toBe(odd.length - index - 1)
    }
  })
})

describe('a text_id', () => {
  it('encoded twice is found when nothing has that very name', async () => {
    const project = await newProjectOf('a%2Fb', 'c d')
    const textIdAt = async (segment: string) =>
      (await read(project, `${project.path('embeddings')}/${segment}`)).body.text_id
    // The segment as it was sent is a text_id, while what it decodes to is none.
    expect(await textIdAt('a%2Fb')).toBe('a%2Fb')
    expect(await textIdAt('a%252Fb')).toBe('a%2Fb')
    expect(await textIdAt('c%20d')).toBe('c d')
    await upload(project, embedding('a/b', [1, 2, 3]))
    expect(await textIdAt('a%2Fb')).toBe('a/b')
    expect(await textIdAt('a%252Fb')).toBe('a%2Fb')
  })

  it('encoded twice is also searched for, but not deleted', async () => {
    const project = await newProjectOf('a%2Fb', 'c')
    const { key } = project.owner
    const similar = await read(project, `${project.path('similars')}/a%2Fb`)
    expect(similar.body.results).toEqual([{ id: 'c', similarity: 1 }])
    const remove = (segment: string) =>
      call('DELETE', `${project.path('embeddings')}/${segment}`, { key })
    expect((await remove('a%2Fb')).status).toBe(404)
    expect((await remove('a%252Fb')).body.message).toBe("Embedding 'a%2Fb' deleted")
    expect(await textIdsIn(project)).toEqual(['c'])
  })

  it('is not another when its deletion is repeated', async () => {
    const project = await newProjectOf('a b', 'a%20b')
    const { key } = project.owner
    const remove = () => call('DELETE', `${project.path('embeddings')}/a%20b`, { key })
    expect((await remove()).body.message).toBe("Embedding 'a b' deleted")
    expect(await remove()).toMatchObject(refusal(404, "Embedding 'a b' not found"))
    expect(await textIdsIn(project)).toEqual(['a%20b'])
  })

  it.each(['x', 'é', '😀'])('may have 300 times %s, and not 301', async (character) => {
    const longest = character.repeat(300)
    const project = await newProjectOf(longest)
    expect((await read(project, pathTo(project, longest))).body.text_id).toBe(longest)
    expect((await read(project, queryFor(project, longest))).status).toBe(200)
    const tooLong = longest + character
    expect(await send(project, embedding(tooLong, [1, 2, 3]))).toMatchObject(
      refusal(400, 'embeddings[0].text_id: must have at most 300 characters'),
    )
    expect((await read(project, pathTo(project, tooLong))).status).toBe(400)
    expect((await read(project, queryFor(project, tooLong))).status).toBe(400)
  })
})
