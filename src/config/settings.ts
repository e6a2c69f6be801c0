import { databaseSettings } from './database-settings.ts'
import { keySettings } from './key-settings.ts'
import { requestSettings } from './request-settings.ts'
import { searchSettings } from './search-settings.ts'
import { serverSettings } from './server-settings.ts'
import { infoOf, type SettingInfo } from './setting.ts'

/** All settings. Priority, highest first: flag, environment variable, .env file, default. */
export const settingSchemas = {
  ...serverSettings,
  ...databaseSettings,
  ...keySettings,
  ...requestSettings,
  ...searchSettings,
}

/** How the command line and the documentation show each setting, by the same names. */
export const settings: Readonly<Record<string, SettingInfo>> = Object.fromEntries(
  Object.entries(settingSchemas).map(([name, schema]) => [name, infoOf(schema)]),
)

/** The settings of commands that work only on the stored data, such as a migration. */
export const storeSettings: readonly SettingInfo[] = [
  serverSettings.debug,
  ...Object.values(databaseSettings),
  ...Object.values(keySettings),
].map(infoOf)
