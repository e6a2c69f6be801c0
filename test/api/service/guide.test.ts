import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { adminKey, cacheLimits } from '../../support/app.ts'
import {
  difference,
  type Example,
  examplesOf,
  firstPage,
  guidePages,
  linesOf,
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

  async function send({ method, path, headers, body }: Example) {
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

  /** What of a page is not as it is answered. */
  return async (page: string): Promise<string[]> => {
    const wrong: string[] = []
    for (const example of examplesOf(page)) {
      const found = differenceOf(example, await send(example))
      if (found !== undefined) {
        wrong.push(`${page}:${example.line} ${example.method} ${example.path}: ${found}`)
      }
    }
    return wrong
  }
}

function differenceOf({ answer }: Example, { status, text }: { status: number; text: string }) {
  const expected = statusIn(answer?.[0])
  const isRight = expected === undefined ? status < 300 : status === expected
  if (!isRight) return `${status} ${text}`
  if (answer === undefined) return undefined
  return difference(answer, answer.length > 1 ? linesOf(text) : [JSON.parse(text)])
}

/** Of a problem that is shown, its status. */
function statusIn(answer: unknown): number | undefined {
  const status =
    typeof answer === 'object' && answer !== null && 'status' in answer && answer.status
  return typeof status === 'number' ? status : undefined
}

describe('the guide', () => {
  it.each(guidePages)('%s shows requests as they are answered', async (page) => {
    expect(examplesOf(page).length).toBeGreaterThan(0)
    const send = await startGuide()
    expect(await send(firstPage)).toEqual([])
    if (page !== firstPage) expect(await send(page)).toEqual([])
  })

  it('has a first page that can be sent twice', async () => {
    const send = await startGuide()
    await send(firstPage)
    // Only what was stored the first time is told in other words.
    const refused = (await send(firstPage)).filter((wrong) => /: [45]\d\d /.test(wrong))
    expect(refused).toEqual([])
  })
})

describe('what checks it', () => {
  const got = { id: 'a-12-b', similarity: 0.98765, list: [1, 2, 3], nested: { some: null } }

  it.each([
    { id: 'a-12-b', similarity: 0.988, list: [1, 2, 3], nested: { some: null } },
    { id: 'a-…-b', similarity: '…', list: [1, '…'], nested: '…' },
    { id: '…', '…': '…' },
  ])('takes %j', (shown) => {
    expect(difference(shown, got)).toBe(undefined)
  })

  it.each([
    [{ ...got, id: 'a-…-c' }, 'answer.id is "a-12-b", shown is "a-…-c"'],
    [{ ...got, similarity: 0.98 }, 'answer.similarity is 0.98765, shown is 0.98'],
    [{ ...got, list: [1, 2] }, 'answer.list.2 is not shown'],
    [{ ...got, list: [1, 2, 3, '…', 4] }, 'answer.list.3 is missing'],
    [{ id: 'a-12-b' }, 'answer.similarity is not shown'],
    [{ ...got, nested: { some: 0 } }, 'answer.nested.some is null, shown is 0'],
  ])('does not take %j', (shown, what) => {
    expect(difference(shown, got)).toBe(what)
  })
})
