import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { newApiKey } from '../../../src/secrets/keys.ts'
import { testApp } from '../../support/app.ts'
import { newProject, unique } from '../../support/factories.ts'
import { SecretWatch } from '../../support/secrets/watch.ts'

/** An app that gives away what it is sent, watched by a watch that may find something. */
function indiscreet() {
  const watch = new SecretWatch()
  const app = new Hono()
  app.all('*', async (c) => c.text(`${await c.req.text()} ${c.req.header('authorization')}`))
  return { watch, ask: watch.app(app).request }
}

describe('the search for secrets that all tests are subject to', () => {
  it('fails for an answer with the key of the request, then and in the end', async () => {
    const { watch, ask } = indiscreet()
    const headers = { Authorization: `Bearer ${newApiKey()}` }
    await expect(ask('/v1/projects/ann', { headers })).rejects.toThrow('leaked into the answer')
    expect(() => watch.expectNoLeaks()).toThrow('leaked into the answer of GET /v1/projects/ann')
  })

  it("fails for an answer with a provider's key", async () => {
    const { ask } = indiscreet()
    const body = JSON.stringify({ api_key_encrypted: 'the-key-of-the-provider' })
    const asked = ask('/v1/llm-services/ann/model', { method: 'PUT', body })
    await expect(asked).rejects.toThrow('leaked into the answer of PUT')
  })

  it('fails for a log line with a key', () => {
    const watch = new SecretWatch()
    expect(() => watch.log().warn(`refused ${newApiKey()}`)).toThrow('leaked into the log')
    const cause = new Error(`refused ${newApiKey()}`)
    expect(() => watch.log().info('nothing to see')).not.toThrow()
    expect(() => watch.log().warn('refused', { cause })).toThrow('leaked into the log')
  })

  it.each([
    ['that was there', 'tables'],
    ['that was written since the last search', 'newRows'],
  ] as const)('fails for a row with a key %s', async (_, search) => {
    const { database } = await testApp()
    const description = unique('what-is-a-secret-to-this-watch')
    const watch = new SecretWatch()
    if (search === 'tables') await newProject({ description })
    await watch[search](database)
    await watch[search](database)
    watch.secrets.add(description)
    if (search === 'newRows') await newProject({ description })
    await expect(watch[search](database)).rejects.toThrow('leaked into table projects')
  })
})
