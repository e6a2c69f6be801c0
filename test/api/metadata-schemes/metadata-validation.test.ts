import { beforeEach, describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { draft2020, pattern, setScheme, uploadMetadata } from '../../support/data/metadata.ts'
import { addProject, newProject, type Project } from '../../support/factories.ts'

let project: Project
beforeEach(async () => {
  project = await newProject()
})

const set = (scheme: unknown) => setScheme(project, scheme)
const upload = (metadata: unknown, textId?: string) => uploadMetadata(project, metadata, textId)

describe('metadata', () => {
  it('that violates the scheme is refused, naming text_id and properties', async () => {
    await set({
      required: ['book'],
      properties: { book: true, ref: { properties: { verse: { type: 'integer' } } } },
      additionalProperties: false,
    })
    const refused = await upload({ ref: { verse: 'x' }, extra: 1 }, 'my-text')
    expect(refused.status).toBe(400)
    const { detail } = refused.body
    expect(detail).toMatch(/^metadata validation failed for text_id 'my-text': /)
    const [, ...violations] = detail.split('\n')
    expect(violations).toHaveLength(3)
    for (const property of ['book', 'ref.verse', 'extra']) {
      expect(
        violations.some((line: string) => line.includes(property)),
        property,
      ).toBe(true)
    }
    expect((await upload({ book: 'John', ref: { verse: 3 } }, 'my-text')).status).toBe(201)
  })

  it('counts as {} when it is missing', async () => {
    await set({ required: ['a'] })
    expect((await upload(undefined)).status).toBe(400)
    expect((await upload(null)).status).toBe(400)
    await set({ maxProperties: 0 })
    expect((await upload(undefined)).status).toBe(201)
    expect((await upload(null)).status).toBe(201)
  })

  it('has its own properties only, whatever their names', async () => {
    await set({ properties: { constructor: { type: 'string' } }, additionalProperties: false })
    expect((await upload({})).status).toBe(201)
    expect((await upload({ constructor: 5 })).status).toBe(400)
    await set({ required: ['toString', '__proto__'] })
    expect((await upload({})).status).toBe(400)
    expect((await upload(JSON.parse('{"toString": 1, "__proto__": 2}'))).status).toBe(201)
  })

  it('that is stored stays when the scheme changes', async () => {
    expect((await upload({ a: 1 }, 'before')).status).toBe(201)
    expect((await set({ properties: { a: { type: 'string' } } })).status).toBe(200)
    const { key } = project.owner
    const shown = await call('GET', `${project.path('embeddings')}/before`, { key })
    expect(shown.body.metadata).toEqual({ a: 1 })
    expect((await upload({ a: 1 })).status).toBe(400)
  })

  it('is matched by patterns in linear time', async () => {
    const value = `${'a'.repeat(200_000)}!`
    for (const slow of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(.*a){12}b']) {
      expect((await set(pattern(slow))).status).toBe(200)
      const refused = await upload({ a: value })
      expect(refused.status).toBe(400)
      // And not that it took longer than it may.
      expect(refused.body.detail, slow).toMatch(/^metadata validation failed/)
    }
  })

  it('is matched as ECMAScript matches: anywhere, by code points, with its escapes', async () => {
    for (const [expression, match, other] of [
      ['b', 'abc', 'acc'],
      ['^.$', '💥', 'xy'],
      ['^[\\u00e0-\\u00ff]+$', 'äöü', 'abc'],
      ['^a\\/b$', 'a/b', 'a\\b'],
      ['^(?<year>\\d{4})$', '2026', '26'],
      ['^\\p{Lu}', 'Ä', 'ä'],
      ['^\\P{Uppercase_Letter}', 'ä', 'Ä'],
      ['^[\\p{Script=Greek}\\p{gc=digit}]+$', 'λόγος7', 'logos'],
      ['^a\\sb$', 'a\u00a0b', 'a_b'],
      ['^[\\s\\d]+$', '1\u20282\u000b', '1_2'],
      ['^[^\\s]$', 'x', '\u3000'],
      ['^\\S{2}$', 'é💥', 'é\ufeff'],
      ['^[\\S\\n]+$', 'a\nb', 'a b'],
      ['^[(\\[\\]]\\\\s$', ']\\s', '] '],
    ] as const) {
      expect(await set(pattern(expression)), expression).toMatchObject({ status: 200 })
      expect((await upload({ a: match })).status, expression).toBe(201)
      expect((await upload({ a: other })).status, expression).toBe(400)
    }
  })

  it('is refused by a scheme that refers to itself without end', async () => {
    for (const endless of [
      { $ref: '#' },
      { allOf: [{ $ref: '#' }] },
      { $schema: draft2020, $dynamicAnchor: 'node', $dynamicRef: '#node' },
    ]) {
      const { status } = await set(endless)
      expect([200, 422]).toContain(status)
      if (status === 200) expect((await upload({})).status).toBe(400)
    }
  })

  it('is validated before it is stored, also below a nested $async', async () => {
    const x = { $async: true, required: ['a'] }
    for (const scheme of [
      { $ref: '#/definitions/x', definitions: { x } },
      {
        $ref: '#/definitions/y',
        definitions: { x, y: { ...x, allOf: [{ $ref: '#/definitions/x' }] } },
      },
      { allOf: [x] },
    ]) {
      const { status } = await set(scheme)
      expect([200, 422]).toContain(status)
      if (status === 200) expect((await upload({})).status).toBe(400)
    }
  })

  it('is validated by the scheme of its own project, also when $ids are the same', async () => {
    const $id = 'https://example.org/the-same'
    const other = await addProject(project.owner, 'other', {
      metadataScheme: JSON.stringify({ $id, required: ['other'] }),
    })
    await set({ $id, required: ['this'] })
    expect((await upload({ this: 1 })).status).toBe(201)
    expect((await upload({ other: 1 })).status).toBe(400)
    project = other
    expect((await upload({ this: 1 })).status).toBe(400)
    expect((await upload({ other: 1 })).status).toBe(201)
  })
})
