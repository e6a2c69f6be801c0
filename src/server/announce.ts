import type { Config } from '../config/config.ts'
import type { Log } from '../log.ts'
import type { Store } from './startup.ts'

/** For a shell: a path may hold anything, and the brackets of an IPv6 address are a pattern to some. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Says where the service listens, where generated keys are kept, and what to try. */
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
