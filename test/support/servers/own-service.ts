import type { Database } from '../../../src/db/database.ts'
import { prepareDatabase } from '../../../src/db/prepare.ts'
import { checkEncryptionKey } from '../../../src/secrets/key-check.ts'
import { createSealer } from '../../../src/secrets/sealing.ts'
import { createApp } from '../../../src/server/app.ts'
import type { AppDependencies } from '../../../src/server/app-dependencies.ts'
import { adminKey, appSettings } from '../app.ts'
import { watch } from '../secrets/watch.ts'
import { ownMigratedDatabase } from './own-database.ts'

export const encryptionKey = 'the-encryption-key-of-an-own-service'

/**
 * An app on a database that nobody else writes to, so that every change has a known cause.
 * @param open what it opens instead of a database on this run's engine
 * @param learns false where requests hold as secrets what other fields have as well
 */
export async function startOwnService(
  settings: Partial<AppDependencies> = {},
  learns = true,
  open: () => ReturnType<typeof ownMigratedDatabase> = ownMigratedDatabase,
) {
  for (const key of [adminKey, encryptionKey]) watch.secrets.add(key)
  const { database, place, drop } = await open()
  const sealer = createSealer(encryptionKey)
  await prepareDatabase(database, (tx) => checkEncryptionKey(tx, sealer))
  const log = watch.log()
  const service = createApp({ ...appSettings, database, sealer, log, ...settings })
  const close = async () => {
    await watch.tables(database)
    await database.close()
    await drop()
  }
  return { ...service, app: watch.app(service.app, learns), database, place, close }
}

/** Another server on the database of one. */
export function startBeside(
  { database }: { readonly database: Database },
  settings: Partial<AppDependencies> = {},
) {
  const sealer = createSealer(encryptionKey)
  const service = createApp({ ...appSettings, database, sealer, log: watch.log(), ...settings })
  return { ...service, app: watch.app(service.app), database }
}
