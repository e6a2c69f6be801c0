import { beforeEach, describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { draft2020, pattern, setScheme, uploadMetadata } from '../../support/data/metadata.ts'
import { addProject, newProject, type Project, unique } from '../../support/factories.ts'

const draft07 = 'http://json-schema.org/draft-07/schema#'
const draft2019 = 'https://json-schema.org/draft/2019-09/schema'

/** A schema of one level more. */
const nested = (depth: number): object => (depth === 0 ? {} : { not: nested(depth - 1) })

let project: Project
beforeEach(async () => {
  project = await newProject()
})

const set = (scheme: unknown) => setScheme(project, scheme)
const upload = (metadata: unknown, textId?: string) => uploadMetadata(project, metadata, textId)

describe('a metadataScheme', () => {
  it.each([
    ['draft-07 by default', { properties: { a: { items: [{ type: 'number' }] } } }, { a: ['x'] }],
    ['draft-07', { $schema: draft07, ...pattern('^x') }, { a: 'y' }],
    ['2019-09', { $schema: draft2019, dependentRequired: { a: ['b'] } }, { a: 1 }],
    ['2020-12', { $schema: draft2020, properties: { a: { prefixItems: [false] } } }, { a: [1] }],
    ['the empty fragment', { $schema: `${draft2020}#`, required: ['a'] }, {}],
    [
      'a local $ref',
      { definitions: { x: { type: 'string' } }, properties: { a: { $ref: '#/definitions/x' } } },
      { a: 1 },
    ],
    [
      'an anchor',
      {
        $schema: draft2020,
        $defs: { x: { $anchor: 'x', type: 'string' } },
        properties: { a: { $ref: '#x' } },
      },
      { a: 1 },
    ],
    ['a recursive $ref', { properties: { a: { $ref: '#' } }, required: ['b'] }, { a: {}, b: 1 }],
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
    const refused = await set(scheme)
    expect(refused.status).toBe(422)
    expect(refused.body.detail).toContain('metadataScheme')
    const { key } = project.owner
    const shown = await call('GET', project.path(), { key })
    expect(shown.body.metadataScheme).toBe('{}')
  })

  it('has at most 64 KiB', async () => {
    const ofBytes = (size: number) => `{"title":"${'ä'.repeat((size - 12) / 2)}"}`
    expect(Buffer.byteLength(ofBytes(65_536))).toBe(65_536)
    expect((await set(ofBytes(65_536))).status).toBe(200)
    for (const size of [65_538, 200_000]) {
      const refused = await set(ofBytes(size))
      expect(refused.status).toBe(400)
      expect(refused.body.detail).toContain('metadataScheme')
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
