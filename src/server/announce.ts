import type { Config } from '../config/config.ts'
import type { Log } from '../log.ts'
import type { Store } from './startup.ts'

/**
 * Quotes text for a shell: a path may hold anything, and some shells take the brackets of an IPv6
 * address for a pattern.
 */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Logs where the service listens, which files keep generated keys, and a request to try. */
export function announce(
  log: Log,
  url: string,
  { database }: Pick<Config, 'database'>,
  { adminKeyFile, encryptionKeyFile }: Pick<Store, 'adminKeyFile' | 'encryptionKeyFile'>,
): void {
  const key = adminKeyFile === undefined ? '$SERVICE_ADMINKEY' : `$(cat ${quoted(adminKeyFile)})`
  const lines = [
    `Semblance is listening on ${url} (${database} database); its documentation is at ${url}/docs`,
    ...(adminKeyFile === undefined ? [] : [`The administrator key is in ${adminKeyFile}`]),
    ...(encryptionKeyFile === undefined
      ? []
      : [`The key that seals stored secrets is in ${encryptionKeyFile}; keep it`]),
    `Try: curl -H "Authorization: Bearer ${key}" ${quoted(`${url}/v1/users`)}`,
  ]
  for (const line of lines) log.info(line)
}
