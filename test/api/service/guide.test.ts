import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { adminKey, cacheLimits } from '../../support/app.ts'
import {
  type Example,
  examplesOf,
  firstPage,
  guidePages,
  linesOf,
  matching,
} from '../../support/guide.ts'
import { databaseForSeveral } from '../../support/servers/own-database.ts'
import { startOwnService } from '../../support/servers/own-service.ts'

/*
 * Sends the requests that the pages of docs/guide/ show, in their order, one page after another on a service of
 * its own, after those of the first page, which make the user `alice`, her instance and her project.
 *
 * A request is a block of `http`: the method and the path, header fields, an empty line, a body. Alice's key is
 * sent with it unless it has an Authorization, where $ADMIN_KEY is the administrator's, $BOB_KEY the one that an
 * answer gave bob, and (none) no header; its Content-Type is JSON unless it says so. The next block, where it is `json`, or `ndjson` with a value on each line, is what must be
 * answered. There … in a string stands for any text, and alone for any value; as a key, or as the last element of
 * a list, for more of them. A number with decimals is shown rounded. An answer that is shown with `"status": 4xx`
 * has that status, all others succeed.
 */

let databases: Awaited<ReturnType<typeof databaseForSeveral>>
beforeAll(async () => {
  databases = await databaseForSeveral()
})
afterAll(() => databases.close())

async function startGuide() {
  const { app, close } = await startOwnService({ cacheLimits }, true, databases.open)
  onTestFinished(close)
  const keys = new Map([['$ADMIN_KEY', adminKey]])
  return async ({ method, path, headers, body }: Example) => {
    const { Authorization = 'Bearer $ALICE_KEY', ...others } = headers
    const authorization = Authorization.replace(/\$\w+/, (name) => keys.get(name) ?? '')
    const answer = await app.request(path, {
      method,
      headers: {
        ...(authorization !== '(none)' && { Authorization: authorization }),
        ...(body !== '' && { 'Content-Type': 'application/json' }),
        ...others,
      },
      ...(body !== '' && { body }),
    })
    const text = await answer.text()
    const [, user = '', key] = /"user_handle":"(\w+)".*"api_key":"([^"]+)"/.exec(text) ?? []
    if (key !== undefined) keys.set(`$${user.toUpperCase()}_KEY`, key)
    return { status: answer.status, text }
  }
}

type Send = Awaited<ReturnType<typeof startGuide>>

/** Sends the requests of a page, which must be answered as it shows. */
async function follow(page: string, send: Send) {
  for (const example of examplesOf(page)) {
    const { line, method, path, answer } = example
    const place = `${page}:${line} ${method} ${path}`
    const { status, text } = await send(example)
    const expected = statusIn(answer?.[0])
    if (expected === undefined) expect(status, `${place}: ${text}`).toBeLessThan(300)
    else expect(status, `${place}: ${text}`).toBe(expected)
    if (answer === undefined) continue
    const got = answer.length > 1 ? linesOf(text) : [JSON.parse(text)]
    expect(got, place).toEqual(matching(answer))
  }
}

/** Of a problem that is shown, its status. */
function statusIn(answer: unknown): number | undefined {
  const { status } = Object(answer)
  return typeof status === 'number' ? status : undefined
}

describe('the guide', () => {
  it.each(guidePages)('%s shows requests as they are answered', async (page) => {
    expect(examplesOf(page).length).toBeGreaterThan(0)
    const send = await startGuide()
    await follow(firstPage, send)
    if (page !== firstPage) await follow(page, send)
  })

  it('has a first page that can be sent twice', async () => {
    const send = await startGuide()
    await follow(firstPage, send)
    // What was stored the first time is told in other words, and is no error.
    for (const example of examplesOf(firstPage)) {
      expect((await send(example)).status, example.path).toBeLessThan(400)
    }
  })
})

describe('what checks it', () => {
  const got = { id: 'a-12-b', similarity: 0.98765, list: [1, 2, 3], nested: { some: null } }

  it.each([
    { id: 'a-12-b', similarity: 0.988, list: [1, 2, 3], nested: { some: null } },
    { id: 'a-…-b', similarity: '…', list: [1, '…'], nested: '…' },
    { id: '…', '…': '…' },
  ])('takes %j', (shown) => {
    expect(got).toEqual(matching(shown))
  })

  it.each([
    { ...got, id: 'a-…-c' },
    { ...got, similarity: 0.98 },
    { ...got, list: [1, 2] },
    { ...got, list: [2, '…'] },
    { ...got, list: [1, 2, 3, '…', 4] },
    { id: 'a-12-b' },
    { ...got, nested: { some: 0 } },
  ])('does not take %j', (shown) => {
    expect(() => expect(got).toEqual(matching(shown))).toThrow()
  })
})
