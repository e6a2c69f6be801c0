import { expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { refusal } from '../../support/data/refusals.ts'
import { search } from '../../support/data/similars.ts'
import { embedding, newProject, type Project, upload } from '../../support/factories.ts'

const texts: Readonly<Record<string, string | undefined>> = {
  a: 'The Kingdom of Heaven is like unto a mustard seed',
  b: 'ΚΑΙ Ο ΛΟΓΟΣ ΗΝ ΠΡΟΣ ΤΟΝ ΘΕΟΝ',
  c: 'Über 100 % of it_is\\here',
  d: '',
  e: undefined,
  f: 'The Ｆlo\u00adwer of the STRAẞE, عِلـم, कि, 한',
}

let made: Promise<Project> | undefined
const project = () => {
  made ??= (async () => {
    const created = await newProject({}, { dimensions: 2 })
    const items = Object.entries(texts).map(([id, text]) =>
      embedding(id, [1, 1], { ...(text !== undefined && { text }), metadata: { odd: id === 'a' } }),
    )
    await upload(created, ...items)
    return created
  })()
  return made
}

const searchBy = async (filter: object) =>
  search(await project(), { vector: [1, 1], filter, limit: 200 })

it.each<[object, string]>([
  [{ $contains: 'kingdom of' }, 'a'],
  [{ $contains: 'KINGDOM' }, 'a'],
  [{ $contains: 'king dom' }, ''],
  [{ $contains: 'λόγος' }, 'b'],
  [{ $contains: 'λογος' }, 'b'],
  [{ $contains: 'ü' }, 'ac'],
  [{ $contains: 'UBER' }, 'c'],
  [{ $contains: 'ﬂower of the strasse' }, 'f'],
  [{ $contains: '\u200dعلم' }, 'f'],
  [{ $contains: 'कु' }, ''],
  [{ $contains: '%' }, 'c'],
  [{ $contains: 't_is\\h' }, 'c'],
  [{ $contains: '.*' }, ''],
  [{ $contains: ' ' }, 'abcf'],
  [{ $contains: '하' }, ''],
  [{ $not: { $contains: 'kingdom' } }, 'bcdef'],
  [{ $contains: 'seed', $not: { $contains: 'kingdom' } }, ''],
  [{ $exists: true }, 'abcdf'],
  [{ $exists: false }, 'e'],
])('a filter on texts %j keeps %j', async (condition, expected) => {
  const { body } = await searchBy({ $text: condition })
  expect(body.results.map(({ id }: { id: string }) => id).join('')).toBe(expected)
})

it.each([...['\u00ad', '\u0301', 'ـ', '\u200d\ufe0f']])(
  'a filter on nothing but %j is refused',
  async (part) => {
    const answer = await searchBy({ $text: { $contains: part } })
    expect([answer.status, answer.body.detail]).toEqual([
      400,
      expect.stringContaining('$contains: must have more than marks'),
    ])
  },
)

it('a filter combines conditions on texts with others', async () => {
  const ids = async (filter: object) =>
    (await searchBy(filter)).body.results.map(({ id }: { id: string }) => id).join('')
  expect(await ids({ $text: { $contains: 'e' }, odd: true })).toBe('a')
  expect(await ids({ $or: [{ $text: { $contains: 'θεον' } }, { odd: true }] })).toBe('ab')
  expect(await ids({ $not: { $or: [{ $text: { $exists: false } }, { odd: true }] } })).toBe('bcdf')
  expect(await ids({ $text: { $contains: 'e' }, text_id: { $gt: 'a' } })).toBe('cf')
})

it.each<[unknown, string]>([
  [{ $text: 'love' }, 'filter.$text must be an object such as {"$contains": "love"}'],
  [{ $text: {} }, 'filter.$text must have an operator such as $contains'],
  [{ $text: { $contains: '' } }, 'filter.$text.$contains must not be empty'],
  [{ $text: { $contains: 1 } }, 'filter.$text.$contains must be a string'],
  [{ $text: { $contains: 'a\u0000' } }, 'must not hold NUL characters or lone surrogates'],
  [{ $text: { $contain: 'a' } }, 'is no operator; did you mean $contains?'],
  [{ $text: { $eq: 'a' } }, 'is no operator; known here: $contains, $exists, $not'],
  [{ $text: { $exists: 1 } }, 'filter.$text.$exists must be true or false'],
  [{ $txt: { $exists: 1 } }, 'filter.$txt is no operator; did you mean $text?'],
])('a filter %j on texts is refused', async (filter, message) => {
  const { owner, path } = await project()
  const query = `?filter=${encodeURIComponent(JSON.stringify(filter))}`
  expect(await call('GET', `${path('embeddings')}${query}`, { key: owner.key })).toMatchObject(
    refusal(400, message),
  )
})
