import { SemblanceError } from '../../client/client.ts'
import { isObject } from '../../embeddings/metadata.ts'
import type { Run } from '../flags.ts'
import { connect } from './connection.ts'
import { nameOf } from './login.ts'

export const status: Run = async (given, env) => {
  const { client, url, key, source } = connect(given, env)
  const { data: ready } = await client.GET('/readyz')
  const welcome: unknown = await (await client.fetch('/')).json()
  const version = isObject(welcome) ? welcome['version'] : undefined
  const metrics = await client.GET('/metrics', { parseAs: 'text' }).catch(refused)
  const engine = /^semblance_\w*info\{[^}]*engine="(\w+)"/m.exec(metrics?.data ?? '')?.[1]
  const who = key === undefined ? undefined : await client.GET('/v1/me')
  const lines = [
    `server   ${url}`,
    `status   ${ready.status}`,
    ...(ready.notes ?? []).map((note) => `note     ${note}`),
    `version  ${version}`,
    `engine   ${engine ?? 'is told to the administrator'}`,
    `key      ${who === undefined ? 'none; see semblance login' : `${nameOf(who.data)}, by ${source}`}`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** They are for the administrator, unless they are public. */
function refused(error: unknown): undefined {
  if (error instanceof SemblanceError && [401, 403].includes(error.status)) return undefined
  throw error
}
