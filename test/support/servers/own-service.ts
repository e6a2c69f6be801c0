import type { Database } from '../../../src/db/database.ts'
import type { AppDependencies } from '../../../src/server/app-dependencies.ts'
import { serviceOn, startOn } from '../app.ts'
import { watch } from '../secrets/watch.ts'
import { ownMigratedDatabase } from './own-database.ts'

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
  const { database, place, drop } = await open()
  const service = await startOn(database, settings, learns)
  const close = async () => {
    await watch.tables(database)
    await database.close()
    await drop()
  }
  return { ...service, place, close }
}

/** Another server on the database of one. */
export function startBeside(
  { database }: { readonly database: Database },
  settings: Partial<AppDependencies> = {},
) {
  const service = serviceOn(database, settings)
  return { ...service, app: watch.app(service.app), database }
}
