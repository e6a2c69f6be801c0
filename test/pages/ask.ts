import assert from 'node:assert/strict'

interface Place {
  readonly url: string
  readonly key: string
}

/**
 * Asks the service for something without a browser. Lines are given as a text.
 * @returns its answer, or the last line of that @throws when it is refused
 */
export async function ask(
  { url, key }: Place,
  method: string,
  path: string,
  body?: object | string,
) {
  const isLines = typeof body === 'string'
  const type = isLines ? 'application/x-ndjson' : 'application/json'
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': type }
  const sent = isLines || body === undefined ? body : JSON.stringify(body)
  const answer = await fetch(`${url}/v1/${path}`, { method, headers, body: sent ?? null })
  const text = await answer.text()
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`)
  return JSON.parse(isLines ? (text.trimEnd().split('\n').at(-1) ?? '') : text)
}

/** What a project of ann's names for vectors of three dimensions, of whose model nothing is asked. */
export const ofOdd = { instance_owner: 'ann', instance_handle: 'odd' }

export const linesOf = (texts: readonly object[]) =>
  texts.map((text) => JSON.stringify(text)).join('\n')
