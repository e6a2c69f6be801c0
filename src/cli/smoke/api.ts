import { z } from 'zod'

/** The tested server did not answer as it should. */
export class SmokeFailure extends Error {
  override readonly name = 'SmokeFailure'
}

const timeoutMs = 30_000

export type Api = ReturnType<typeof createApi>

/** Calls a server's API and checks each answer. @throws SmokeFailure that says what was wrong */
export function createApi(url: string) {
  return async function call<Schema extends z.ZodType>(
    method: string,
    path: string,
    expected: { status: number; schema: Schema },
    { key, body }: { key?: string; body?: unknown } = {},
  ): Promise<z.output<Schema>> {
    const what = `${method} ${path}`
    const response = await fetch(new URL(path, url), {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((cause) => {
      throw new SmokeFailure(`${what}: no answer from ${url} (${reasonOf(cause)})`)
    })
    const text = await response.text()
    if (response.status !== expected.status) {
      const detail = Problem.safeParse(parse(text)).data?.detail ?? text.slice(0, 200)
      throw new SmokeFailure(
        `${what}: status ${response.status} instead of ${expected.status}: ${detail}`,
      )
    }
    const answer = expected.schema.safeParse(parse(text))
    if (answer.success) return answer.data
    const [issue] = answer.error.issues
    throw new SmokeFailure(`${what}: unexpected answer: ${issue?.path.join('.')} ${issue?.message}`)
  }
}

const Problem = z.object({ title: z.string(), status: z.number(), detail: z.string() })
export const problemExpected = (status: number) => ({
  status,
  schema: Problem.extend({ status: z.literal(status) }),
})
export const anything = (status: number) => ({ status, schema: z.looseObject({}) })

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error ? cause.cause.message || cause.cause.name : cause.message
}
