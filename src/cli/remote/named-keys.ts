import { closeSync, openSync } from 'node:fs'
import type { GivenFlags } from '../flags.ts'
import { UsageError } from '../usage-error.ts'
import { type RemoteConnection, writePrivate } from './connection.ts'
import { table } from './table.ts'

type Client = RemoteConnection['client']

/** The keys of a user beside the first one: list, create, rotate, revoke. */
export async function namedKeys({ values }: GivenFlags, client: Client): Promise<void> {
  const { action = '', name, output } = values
  const user = values['user'] ?? (await client.GET('/v1/me')).data.user_handle
  if (user === undefined) throw new UsageError('name the user')
  if (action === 'list') return list(client, user, values['json'] === 'true')
  if (name === undefined) throw new UsageError('say which key: --name NAME')
  const params = { path: { user, key_handle: name } }
  if (action === 'revoke') {
    const { data } = await client.DELETE('/v1/users/{user}/keys/{key_handle}', { params })
    return void process.stdout.write(`${data.message}\n`)
  }
  if (output === undefined) {
    throw new UsageError('say where to write the key: --output FILE, or - for stdout')
  }
  // A key that cannot be written would be lost.
  if (output !== '-') closeSync(openSync(output, 'a', 0o600))
  const { data } =
    action === 'rotate'
      ? await client.POST('/v1/users/{user}/keys/{key_handle}/rotate', { params })
      : await client.POST('/v1/users/{user}/keys', {
          params: { path: { user } },
          body: { key_handle: name, ...limitsOf(values, user) },
        })
  if (output === '-') return void process.stdout.write(`${data.api_key}\n`)
  writePrivate(output, `${data.api_key}\n`)
  process.stdout.write(`The key ${name} of ${user} is in ${output}\n`)
}

/** What the key shall be good for; it reads, unless it is said that it may write. */
function limitsOf({ access, projects, expires }: GivenFlags['values'], user: string) {
  const names = projects?.split(',').map((name) => (name.includes('/') ? name : `${user}/${name}`))
  return {
    access: accessOf(access),
    ...(names !== undefined && { projects: names }),
    ...(expires !== undefined && {
      expires_at: /^\d{4}-\d\d-\d\d$/.test(expires) ? `${expires}T00:00:00Z` : expires,
    }),
  }
}

function accessOf(given = 'read'): 'read' | 'write' {
  if (given === 'read' || given === 'write') return given
  throw new UsageError('--access is read or write')
}

async function list(client: Client, user: string, asJson: boolean): Promise<void> {
  const { data } = await client.GET('/v1/users/{user}/keys', { params: { path: { user } } })
  if (asJson) return void process.stdout.write(`${JSON.stringify(data.keys, null, 2)}\n`)
  const rows = data.keys.map((key) => [
    key.key_handle,
    key.access,
    key.expires_at?.slice(0, 16) ?? 'never',
    key.last_used_at?.slice(0, 16) ?? 'never',
    key.projects === undefined ? 'all' : key.projects.join(', '),
  ])
  const names = ['key', 'access', 'ends', 'last used', 'projects']
  process.stdout.write(table(names, rows) || `${user} has no key beside the first one\n`)
}
