import { expect } from 'vitest'
import { contractOf } from '../openapi/contract.ts'
import { member } from '../openapi/document-schemas.ts'
import type { startOwnService } from '../servers/own-service.ts'
import type { Draft } from './drafts.ts'
import type { FuzzWorld } from './world.ts'

type Service = Awaited<ReturnType<typeof startOwnService>>

const linesType = 'application/x-ndjson'
const anyLines = /^application\/x-ndjson$/
/** Of operations that answer no JSON, or not always. */
const textTypes: Readonly<Record<string, RegExp>> = {
  getMetrics: /^text\/plain; /,
  importProject: anyLines,
  listAllNeighbours: anyLines,
  exportProject: /^application\/(x-ndjson|vnd\.semblance\+ndjson)$/,
}

/** Makes what sends a request, holds its answer against the rules, and undoes what it has done. */
export function createSender({ app, document }: Service, world: FuzzWorld) {
  const contract = contractOf(document)

  async function send(draft: Draft) {
    const url = new URL(targetOf(draft), 'http://localhost:8880')
    const { method } = draft.operation
    const response = await app.request(url.href, {
      method,
      headers: draft.headers,
      ...(draft.body !== undefined && { body: draft.encode(draft.body), duplex: 'half' }),
    })
    const { status, headers } = response
    // Nothing is down, and nobody else is there.
    expect(status).toBeLessThan(500)
    // A '..' has led out of the operation, to what leads to the page of the service; or an odd
    // If-None-Match has said that the client has the answer already.
    if (status === 302 || status === 304) {
      if (status === 302) expect(url.pathname).toMatch(/^\/v1\/?$/)
      else expect(draft.headers['If-None-Match']).toBeDefined()
      return { status, changed: (await world.saved.digest()) !== world.pristine, answer: undefined }
    }
    const contentType = headers.get('content-type') ?? ''
    const accepted = status < 400
    const sendsLines = draft.headers['Content-Type'] === linesType
    const named = sendsLines ? anyLines : textTypes[draft.operation.id]
    const textType = accepted ? named : undefined
    const isText = textType !== undefined && contentType !== 'application/json'
    expect(contentType).toMatch(textType ?? /^application\/(problem\+|schema\+)?json$/)
    const text = await response.text()
    const answer: unknown = isText ? text : JSON.parse(text)
    const takesJson = draft.operation.id !== 'importProject' && !sendsLines
    const body = accepted && takesJson && draft.body !== undefined ? parsed(draft.body) : undefined
    // The document describes a line, and no list of them.
    if (!(accepted && sendsLines))
      contract.check({ method, url, body, status, contentType, answer })
    if (!accepted) expectProblem(status, contentType, answer)
    if (draft.isWrong !== undefined) expectReason(draft, status, answer)

    const changed = (await world.saved.digest()) !== world.pristine
    if (changed) await world.saved.restore()
    if (!accepted) expect(changed, 'refused, but has changed the data').toBe(false)
    return { status, changed, answer }
  }

  return (draft: Draft, number: number) =>
    send(draft).catch((cause: Error) => {
      throw new Error(`${cause.message}\n${describeDraft(draft, number)}`, { cause })
    })
}

// Without the mark that a text may begin with.
const parsed = (body: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(body))

function expectProblem(status: number, contentType: string, answer: unknown): void {
  expect(contentType).toBe('application/problem+json')
  expect(Object.keys(Object(answer)).sort()).toEqual(['detail', 'status', 'title'])
  expect(answer).toMatchObject({ status })
}

/** Of a request with an odd body: a refusal says in words what is wrong. */
function expectReason({ operation, headers, isWrong }: Draft, status: number, answer: unknown) {
  const { security = [] } = operation.declared
  const isPublic = security.some((needs) => Object.keys(needs).length === 0)
  // Without a key, it depends on the projects that the body names.
  if (operation.id === 'searchProjects' && !('Authorization' in headers)) return
  const mayCall = 'Authorization' in headers || isPublic
  expect(status === 401).toBe(!mayCall)
  if (!mayCall) return
  const problem = status < 400 ? problemBehind(answer) : answer
  if (isWrong) expect(problem).toBeDefined()
  if (problem === undefined) return
  expect(member(problem, 'status')).toBeLessThan(500)
  const detail = String(member(problem, 'detail'))
  expect(detail).toMatch(/^.{16,2000}$/s)
  if (isWrong) expect(detail).toMatch(wrongness)
}

const wrongness =
  /not (valid )?JSON|could not be read or decompressed|Content-Encoding must be|is empty|line 1|values \(members|beside the items/

/** What went wrong after an answer by lines had begun. */
function problemBehind(answer: unknown): unknown {
  if (typeof answer !== 'string') return undefined
  return member(JSON.parse(answer.trimEnd().split('\n').at(-1) ?? ''), 'error')
}

function targetOf({ operation, segments, query }: Draft): string {
  const path = operation.template.replaceAll(
    /\{([^}]+)\}/g,
    (_, name: string) => segments[name] ?? '',
  )
  return query.length === 0 ? path : `${path}?${query.map((pair) => pair.join('=')).join('&')}`
}

const shown = 500

const describeDraft = (draft: Draft, number: number) =>
  [
    `Request ${number} to ${draft.operation.id}, ${draft.oddities.join(', ') || 'nothing odd'}:`,
    `${draft.operation.method} ${targetOf(draft).slice(0, shown)}`,
    JSON.stringify(draft.headers).slice(0, shown),
    draft.body?.toString('utf8', 0, shown) ?? '',
  ].join('\n')
