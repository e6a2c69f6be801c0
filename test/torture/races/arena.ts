import { HttpClient, type Outcome, succeeded } from '../http-client.ts'
import { adminKey } from '../service.ts'
import type { Tally } from '../tally.ts'
import { instanceOf, keyIn } from '../world.ts'

/** Where races are run: requests that must not fail, and what to do when one does. */
export interface Arena {
  readonly tally: Tally
  /** As the administrator. */
  call(method: string, path: string, body?: object): Promise<Outcome>
  as(key: string): Arena['call']
  /** @returns the new user's key */
  newUser(handle: string): Promise<string>
  /** An instance of one dimension. */
  newInstance(owner: string, handle: string): Promise<void>
  newProject(owner: string, handle: string, instanceOwner?: string): Promise<void>
  expect(what: string, holds: boolean): void
}

/** @param dimensions of every instance */
export function createArena(url: string, tally: Tally, dimensions: number): Arena {
  const client = new HttpClient(url, tally)
  const as = (key: string) => async (method: string, path: string, body?: object) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const outcome = await client.call(method, path, { key, body: text })
    // Nothing is broken and the queues are short: there is no reason for these.
    if (outcome.status === 503 || outcome.status === 0) {
      const reason = `${outcome.status} ${outcome.reason} ${JSON.stringify(outcome.body)}`
      tally.violate('other violations', `${method} ${path}: ${reason}`)
    }
    return outcome
  }
  const call = as(adminKey)
  const put = async (path: string, body: object) => {
    const outcome = await call('PUT', path, body)
    if (!succeeded(outcome)) throw new Error(`PUT ${path}: ${outcome.status} ${outcome.reason}`)
    return outcome.body
  }
  return {
    tally,
    call,
    as,
    newUser: async (handle) => keyIn(await put(`/v1/users/${handle}`, {})),
    newInstance: async (owner, handle) => {
      await put(`/v1/llm-services/${owner}/${handle}`, instanceOf(dimensions))
    },
    newProject: async (owner, handle, instanceOwner = owner) => {
      const reference = { instance_owner: instanceOwner, instance_handle: 'model' }
      await put(`/v1/projects/${owner}/${handle}`, reference)
    },
    expect: (what, holds) => {
      if (!holds) tally.violate('other violations', what)
    },
  }
}

export const statusesOf = (outcomes: readonly Outcome[]) =>
  outcomes
    .map(({ status }) => status)
    .toSorted()
    .join()
