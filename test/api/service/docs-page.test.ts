import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import { testApp } from '../../support/app.ts'
import { operationsOf, parametersOf } from '../../support/openapi/document.ts'
import { member } from '../../support/openapi/document-schemas.ts'

const { app, document } = await testApp()
const operations = operationsOf(document)

describe('the documentation page', () => {
  it('shows the document of this server and asks no validator elsewhere', async () => {
    const html = await (await app.request('/docs')).text()
    const script = await (await app.request('/docs/page.js')).text()
    expect(script).toMatch(/url: 'openapi\.json'/)
    expect(script).toMatch(/validatorUrl: (null|'none')/)
    for (const text of [html, script]) expect(text).not.toMatch(/https?:|['"(]\/\//)
  })

  it('allows no script within it, and nothing from elsewhere', async () => {
    const page = await app.request('/docs')
    const policy = page.headers.get('content-security-policy')
    expect(policy).toMatch(/^default-src 'none'; script-src 'self';/)
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/)
    const html = await page.text()
    expect(html).not.toMatch(/<script[^>]*>\s*[^<\s]|\son\w+=/)
    expect(html).toContain('<a href="docs" aria-current="page">API</a>')
  })
})

/** What only a browser shows is tried in test/swagger. */
describe('the script of the documentation page', async () => {
  const script = await (await app.request('/docs/page.js')).text()
  let given: unknown
  const storage = { getItem: () => null, setItem: () => {}, removeItem: () => {} }
  runInNewContext(script, {
    ...{ window: {}, sessionStorage: storage, localStorage: storage },
    document: { documentElement: { classList: { toggle: () => {} } } },
    matchMedia: () => ({ matches: false, addEventListener: () => {} }),
    SwaggerUIBundle: (options: unknown) => {
      given = options
    },
  })
  const plugin = member(member(given, 'plugins'), '0')
  const { statePlugins, afterLoad } = typeof plugin === 'function' ? plugin() : {}

  it('keeps no key that no header takes', () => {
    const setItem = vi.spyOn(storage, 'setItem')
    const { authorize } = Object(statePlugins.auth.wrapActions)
    authorize((sent: unknown) => sent)({ bearer: { value: 'no header takes\n this' } })
    expect(setItem).not.toHaveBeenCalled()
    expect(member(given, 'persistAuthorization')).toBeUndefined()
  })

  it('shows commands that read the key from the environment', () => {
    const printed = (line: string) => () => `curl -X GET\n  -H ${line} \\\n  -d 'x'`
    const fn = {
      requestSnippetGenerator_curl_bash: printed("'Authorization: Bearer it'\\''s'"),
      requestSnippetGenerator_curl_cmd: printed('"Authorization: Bearer a-key"'),
      requestSnippetGenerator_curl_powershell: printed("'Authorization: Bearer a-key'"),
    }
    const loaded: { fn: Record<string, (request: unknown) => string> } = { fn: {} }
    afterLoad.call(loaded, { fn })
    const variables = {
      bash: '$SEMBLANCE_KEY',
      cmd: '%SEMBLANCE_KEY%',
      powershell: '$env:SEMBLANCE_KEY',
    }
    for (const [shell, variable] of Object.entries(variables)) {
      const shown = printed(`"Authorization: Bearer ${variable}"`)()
      expect(loaded.fn[`requestSnippetGenerator_curl_${shell}`]?.({})).toBe(shown)
    }
  })
})

describe('the documentation', () => {
  it('fills in nothing that need not be given', () => {
    const prefilled = operations.flatMap((operation) =>
      parametersOf(operation)
        .filter(({ required = false }) => !required)
        .filter(
          (each) => each.example !== undefined || member(each.schema, 'example') !== undefined,
        )
        .map(({ name }) => `${operation.id} ${name}`),
    )
    // Or words, of which one is required.
    expect(prefilled).toEqual(['searchByTextIdParameter text_id'])
  })

  it('fills in all that must be given', () => {
    const missing = operations.flatMap((operation) =>
      parametersOf(operation)
        .filter(({ required = false, example }) => required && example === undefined)
        .map(({ name }) => `${operation.id} ${name}`),
    )
    expect(missing).toEqual([])
  })

  it('has bodies that repeat no part of the path, and publish nothing', () => {
    const bodies = operations.flatMap(({ id, template, declared }) => {
      const path = ['content', 'application/json', 'example']
      const example = path.reduce<unknown>(member, declared.requestBody)
      const last = /\{(\w+)\}$/.exec(template)?.[1]
      return example === undefined ? [] : [{ id, last, text: JSON.stringify(example) }]
    })
    expect(bodies.length).toBeGreaterThan(20)
    const repeating = bodies.filter(({ id, last, text }) =>
      id.startsWith('put')
        ? text.includes(`"${last}_handle"`) || text.includes(`_${last}_handle"`)
        : false,
    )
    expect(repeating.map(({ id }) => id)).toEqual([])
    expect(bodies.filter(({ text }) => text.includes('public_read')).map(({ id }) => id)).toEqual(
      [],
    )
  })

  it('says of every operation whether it is public', () => {
    for (const { id, template, declared } of operations) {
      const isPublic = / \((public|public if the project is|key optional)\)$/.exec(
        declared.summary ?? '',
      )?.[1]
      const needs = JSON.stringify(declared.security)
      const optional = template.includes('{project}') ? 'public if the project is' : 'key optional'
      const said = { '[]': 'public', '[{"bearer":[]},{}]': optional }[needs]
      expect(isPublic, id).toBe(said)
    }
  })
})
