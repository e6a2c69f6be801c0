import { expect } from 'vitest'
import type { Answer } from '../client.ts'

/** Strings that cannot be stored faithfully: refused everywhere. */
export const unstorable = ['a\0b', '\ud800', 'a\udc00b']

const badForAll = ['', 'a b', 'ä', 'a/b', 'a\n', '_a', 'h'.repeat(101), 5, null, undefined]
/** What no new user can be called; `undefined` leaves the field out. */
export const badUserHandles = [...badForAll, 'a.b', '.a', ...unstorable]
/** What nothing else that is new can be called. */
export const badHandles = [...badForAll, '.a', '..', ...unstorable]
/** Handles at the edge of the rule for all but users. */
export const oddHandles = ['a', '-', '0', 'A-z_9', 'a.b..c.', 'h'.repeat(100)]

/** An answer that refuses, and says this among other things. */
export const refusal = (status: number, detail: string | RegExp) => ({
  status,
  body: {
    detail:
      typeof detail === 'string' ? expect.stringContaining(detail) : expect.stringMatching(detail),
  },
})

/**
 * Sends the valid body with one field at a time replaced by each bad value, and expects 400 with
 * a detail that names the field; then, that the valid body itself is accepted.
 */
export async function expectRefused(
  send: (body: object) => Promise<Answer>,
  valid: object,
  bad: Record<string, readonly unknown[]>,
): Promise<void> {
  for (const [field, values] of Object.entries(bad)) {
    for (const value of values) {
      const answer = await send({ ...valid, [field]: value })
      const what = `${field}: ${JSON.stringify(value)?.slice(0, 60)}`
      expect(answer.status, what).toBe(400)
      expect(answer.body.detail, what).toContain(field)
    }
  }
  const accepted = await send(valid)
  expect(accepted.status, JSON.stringify(accepted.body)).toBeLessThan(300)
}

/** In a request to share: users and roles that nobody can be or have. */
export const badSharees = {
  share_with_handle: [undefined, null, 5, {}, 'h'.repeat(101), ...unstorable],
  role: [undefined, null, '', 'owner', 'Reader', 'admin', 5],
}
