import { expect, it } from 'vitest'
import { jsonAfterSpaces } from '../../src/http/stream-answer.ts'

it('spaces are sent while a value is awaited', async () => {
  let resolve = (_: object) => {}
  const promise = new Promise<object>((done) => {
    resolve = done
  })
  const parts = jsonAfterSpaces(() => promise, 1)
  for (let read = 0; read < 3; read += 1) expect((await parts.next()).value).toBe(' ')
  resolve({ status: 'PASSED' })
  let text = ''
  for await (const part of parts) text += part
  expect(JSON.parse(text)).toEqual({ status: 'PASSED' })
})

it('a value that is soon there is sent alone, and an error thrown', async () => {
  const text = await jsonAfterSpaces(async () => ({ a: 1 }), 60_000).next()
  expect(text.value).toBe('{"a":1}')
  const failing = jsonAfterSpaces(() => Promise.reject(new Error('no')), 60_000)
  await expect(failing.next()).rejects.toThrow('no')
})
