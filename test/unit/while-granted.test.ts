import { Context } from 'hono'
import { expect, it } from 'vitest'
import { forbidden, unavailable } from '../../src/errors.ts'
import { whileGranted } from '../../src/http/stream-answer.ts'

async function* parts() {
  for (const part of ['a', 'b', 'c']) yield part
}

/** What comes of the parts when the look-ups before them end so. */
async function readWith(errors: readonly (Error | undefined)[], endAfterMs: number) {
  const c = new Context(new Request('http://localhost'))
  const left = [...errors]
  c.set('grantAgain', async () => {
    const error = left.shift()
    if (error !== undefined) throw error
  })
  const read: string[] = []
  try {
    for await (const part of whileGranted(c, parts(), [0, endAfterMs])) read.push(part)
  } catch (error) {
    return { read, error }
  }
  return { read, error: undefined }
}

const busy = unavailable('The service is busy')
const denied = forbidden('No share')

it('a stream goes on while nobody can say whether it is granted, and ends when it is not', async () => {
  expect(await readWith([busy, undefined, busy], 60_000)).toEqual({
    read: ['a', 'b', 'c'],
    error: undefined,
  })
  expect(await readWith([busy, denied], 60_000)).toEqual({ read: ['a'], error: denied })
})

it('a stream of which nobody can say it for too long ends', async () => {
  expect(await readWith([busy], 0)).toEqual({ read: [], error: busy })
})
