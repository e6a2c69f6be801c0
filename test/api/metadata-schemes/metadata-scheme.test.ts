import { beforeEach, describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { draft2020, pattern, setScheme, uploadMetadata } from '../../support/data/metadata.ts'
import { refusal } from '../../support/data/refusals.ts'
import { addProject, newProject, type Project, unique } from '../../support/factories.ts'

const draft2019 = 'https://json-schema.org/draft/2019-09/schema'

/** A schema of one level more. */
const nested = (depth: number): object => (depth === 0 ? {} : { not: nested(depth - 1) })

let project: Project
beforeEach(async () => {
  project = await newProject()
})

const set = (scheme: unknown) => setScheme(project, scheme)
const upload = (metadata: unknown, textId?: string) => uploadMetadata(project, metadata, textId)

/** What each draft means is tried with its official tests in test/unit/json-schema-suite.test.ts. */
describe('a metadataScheme', () => {
  it.each([
    ['draft-07 by default', { properties: { a: { items: [{ type: 'number' }] } } }, { a: ['x'] }],
    ['2020-12', { $schema: draft2020, properties: { a: { prefixItems: [false] } } }, { a: [1] }],
    ['false', false, {}],
    ['32 levels', { not: nested(30) }, {}],
    ['1,000 objects and arrays', { enum: Array.from({ length: 998 }, (_, n) => [n]) }, {}],
    ['thousands of values', { properties: { a: { enum: [...Array(2_000).keys()] } } }, { a: 'x' }],
  ])('may use %s', async (_, scheme, bad) => {
    expect(await set(scheme)).toMatchObject({
      status: 200,
      body: { metadataScheme: JSON.stringify(scheme) },
    })
    expect((await upload(bad)).status).toBe(400)
  })

  it('of draft-07 does not know the keywords of later drafts', async () => {
    await set({ dependentRequired: { a: ['b'] }, properties: { c: { prefixItems: [false] } } })
    expect((await upload({ a: 1, c: [1] })).status).toBe(201)
  })

  it.each([
    ['no JSON', '{"type": '],
    ['JSON that is no schema', '"string"'],
    ['an array', '[]'],
    ['null as JSON', 'null'],
    ['an unknown type', { type: 'text' }],
    ['a malformed keyword', { required: 'a' }],
    ['an unknown $schema', { $schema: 'https://example.org/my-schema' }],
    ['an older draft', { $schema: 'http://json-schema.org/draft-04/schema#' }],
    ['a $schema that is no string', { $schema: 7 }],
    ['a remote $ref', { $ref: 'https://example.org/schema.json' }],
    ['a $ref to a file', { properties: { a: { $ref: 'other.json#/definitions/a' } } }],
    ['a local $ref to nothing', { $ref: '#/definitions/none' }],
    ['a lookahead', pattern('^(?=a)')],
    ['a backreference', pattern('(a)\\1')],
    ['a malformed pattern', pattern('(')],
    ['a malformed name pattern', { patternProperties: { '[': { type: 'string' } } }],
    ['$async', { $async: true, type: 'object' }],
    ['a keyword of 2019-09 misused', { $schema: draft2019, dependentRequired: { a: 'b' } }],
    ['array items in 2020-12', { $schema: draft2020, items: [true] }],
    ['more than 32 levels', nested(32)],
    ['more than 1,000 objects and arrays', { enum: Array.from({ length: 999 }, (_, n) => [n]) }],
    ['patterns of a very large machine', { allOf: Array(60).fill(pattern('a{1000}')) }],
    ['a pattern of a very large machine', pattern('a{1000}'.repeat(9_000))],
    ['$data', { properties: { a: { maximum: { $data: '1/b' } } } }],
    ['nesting without end', `${'{"not":'.repeat(8_000)}true${'}'.repeat(8_000)}`],
  ])('is refused with 422 when it has %s', async (_, scheme) => {
    await set('{}')
    expect(await set(scheme)).toMatchObject(refusal(422, 'metadataScheme'))
    const { key } = project.owner
    const shown = await call('GET', project.path(), { key })
    expect(shown.body.metadataScheme).toBe('{}')
  })

  it('has at most 64 KiB', async () => {
    const ofBytes = (size: number) => `{"title":"${'ä'.repeat((size - 12) / 2)}"}`
    expect(Buffer.byteLength(ofBytes(65_536))).toBe(65_536)
    expect((await set(ofBytes(65_536))).status).toBe(200)
    for (const size of [65_538, 200_000]) {
      expect(await set(ofBytes(size))).toMatchObject(refusal(400, 'metadataScheme'))
    }
  })

  it('is kept as it was written, until "" or null removes it', async () => {
    const written = ' { "required" : [ "a" ] }\n'
    const { owner } = project
    const { key } = owner
    for (const nothing of ['', null]) {
      await set(written)
      const shown = await call('GET', project.path(), { key })
      expect(shown.body.metadataScheme).toBe(written)
      expect((await upload({})).status).toBe(400)
      const body = { metadataScheme: nothing }
      const patched = await call('PATCH', project.path(), { key, body })
      expect(Object.keys(patched.body)).not.toContain('metadataScheme')
      expect((await upload({})).status).toBe(201)
      await addProject(owner, unique('without'), body)
    }
  })
})

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
      ['^.$', '💥', 'xy'],
      ['^[\\u00e0-\\u00ff]+$', 'äöü', 'abc'],
      ['^a\\/b$', 'a/b', 'a\\b'],
      ['^(?<year>\\d{4})$', '2026', '26'],
      ['^\\p{Lu}', 'Ä', 'ä'],
      ['^[\\p{Script=Greek}\\p{gc=digit}]+$', 'λόγος7', 'logos'],
      ['^[\\s\\d]+$', '1\u20282\u000b', '1_2'],
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
