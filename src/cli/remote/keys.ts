import { closeSync, openSync } from 'node:fs'
import type { Run } from '../flags.ts'
import { UsageError } from '../usage-error.ts'
import {
  connect,
  loginFile,
  type RemoteConnection,
  writeLogin,
  writePrivate,
} from './connection.ts'
import { namedKeys } from './named-keys.ts'

export const keys: Run = async (given, env) => {
  const connection = connect(given, env)
  const { action = '', user: named, output, name } = given.values
  if (!['list', 'create', 'rotate', 'revoke'].includes(action))
    throw new UsageError('keys list, create, rotate, or revoke')
  if (name !== undefined || action === 'list' || action === 'revoke') {
    return namedKeys(given, connection.client)
  }
  if (action === 'create' && named === undefined) throw new UsageError('name the user')
  const own = await ownHandle(connection)
  const user = named ?? own
  if (user === undefined)
    throw new UsageError('the key of the administrator is a setting of the server')
  const keepsLogin = user === own && connection.source === loginFile(env)
  if (output === undefined && !keepsLogin) {
    throw new UsageError('say where to write the key: --output FILE, or - for stdout')
  }
  // A key that cannot be written would be lost.
  if (output !== undefined && output !== '-') closeSync(openSync(output, 'a', 0o600))
  if (keepsLogin && connection.key !== undefined) {
    writeLogin(env, { url: connection.url, key: connection.key })
  }
  const params = { path: { user } }
  const { client, url } = connection
  const { data } =
    action === 'rotate'
      ? await client.POST('/v1/users/{user}/rotate-key', { params })
      : await client.PUT('/v1/users/{user}', { params, body: await detailsOf(connection, user) })
  const key = data.api_key
  const files = keepsLogin ? [writeLogin(env, { url, key })] : []
  if (output === '-') process.stdout.write(`${key}\n`)
  else if (output !== undefined) {
    writePrivate(output, `${key}\n`)
    files.push(output)
  }
  if (files.length > 0) process.stdout.write(`The key of ${user} is in ${files.join(' and ')}\n`)
}

async function ownHandle({ client }: RemoteConnection): Promise<string | undefined> {
  const { data } = await client.GET('/v1/me', { params: { query: { limit: 1 } } })
  return data.user_handle
}

/** PUT replaces name and e-mail of a user who is there: with what they are. */
async function detailsOf({ client }: RemoteConnection, handle: string) {
  const { data } = await client.GET('/v1/users')
  if (!data.users.includes(handle)) return {}
  const { data: known } = await client.GET('/v1/users/{user}', {
    params: { path: { user: handle } },
  })
  return { name: known.name ?? null, email: known.email ?? null }
}
