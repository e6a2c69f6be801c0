import { expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { newInstance, newKey, newUser, type User } from '../../support/factories.ts'
import { watch } from '../../support/secrets/watch.ts'
import { answerJson, startProvider } from '../../support/servers/embedding-provider.ts'

const pathOf = ({ handle }: User) => `/v1/llm-services/${handle}/model`
const test = (user: User, key = user.key) => call('POST', `${pathOf(user)}/test`, { key })

/** Answers one vector of so many dimensions, whatever is asked. */
const answering = (dimensions: number) =>
  startProvider((response) =>
    answerJson(response, 200, { data: [{ embedding: Array(dimensions).fill(1) }] }),
  )

it('embeds one word as searches do, and tells how long the vector is', async () => {
  const provider = await answering(384)
  const user = await newUser()
  const api_key_encrypted = 'provider-secret-of-the-test'
  watch.secrets.add(api_key_encrypted)
  const given = { endpoint: provider.url, dimensions: 1, model: 'm', query_prefix: 'query: ' }
  await newInstance(user, { ...given, api_key_encrypted })
  expect(await test(user)).toMatchObject({ status: 200, body: { dimensions: 384 } })
  expect(provider.received).toMatchObject([
    {
      headers: { authorization: `Bearer ${api_key_encrypted}` },
      body: { model: 'm', input: ['query: test'] },
    },
  ])
  expect(provider.received[0]?.body).not.toHaveProperty('dimensions')
  // The administrator may change it, so he may test it.
  expect((await asAdmin('POST', `${pathOf(user)}/test`)).body).toEqual({ dimensions: 384 })
  expect((await call('GET', pathOf(user), { key: user.key })).body).toMatchObject({ dimensions: 1 })
})

it('says what is wrong: no endpoint, no permission, no answer, another answer', async () => {
  const user = await newUser()
  await newInstance(user, { endpoint: 'none' })
  const because = (status: number, detail: string) => ({
    status,
    body: { detail: expect.stringContaining(detail) },
  })
  const on = async (endpoint: string) => {
    const body = { endpoint, api_key_encrypted: 'k' }
    await call('PATCH', pathOf(user), { key: user.key, body })
    return test(user)
  }
  expect(await test(user)).toMatchObject(because(400, 'has no endpoint'))
  expect(await on('http://10.0.0.1:1/')).toMatchObject(because(403, 'SERVICE_EMBEDDINGHOSTS'))
  expect(await on('http://127.0.0.1:1/')).toMatchObject(because(502, 'ECONNREFUSED'))
  const { url } = await startProvider((response) =>
    answerJson(response, 404, { error: { message: 'model "m" not found, try pulling it' } }),
  )
  expect(await on(url)).toMatchObject(because(502, 'try pulling it'))
  expect(await on((await answering(0)).url)).toMatchObject(because(502, 'no direction'))
})

it('is told which hosts may be asked, with any key and never without', async () => {
  const user = await newUser()
  for (const key of [user.key, await newKey(user)]) {
    const { body } = await call('GET', '/v1/me', { key })
    expect(body.embedding_hosts).toEqual(['127.0.0.0/8'])
  }
  expect((await call('GET', '/v1/me')).status).toBe(401)
})
