import { stripVTControlCharacters } from 'node:util'
import { type CommandDef, renderUsage } from 'citty'
import type { SettingInfo } from '../config/setting.ts'
import { settings } from '../config/settings.ts'
import { settingArgs } from './flags.ts'

/** The help of a command, or of the whole program when there is no parent. */
async function helpText(command: CommandDef, parent?: CommandDef): Promise<string> {
  const takesSettings = command.args === settingArgs
  // The table below says more of the settings than citty can.
  const usage = await renderUsage(takesSettings ? { ...command, args: {} } : command, parent)
  const text = takesSettings || parent === undefined ? `${usage}\n\n${settingsTable()}` : usage
  return `${text.replaceAll(/ +$/gm, '').trimEnd()}\n`
}

/** On a terminal with colours, elsewhere without. */
export async function showHelp(command: CommandDef, parent?: CommandDef): Promise<void> {
  const text = await helpText(command, parent)
  process.stdout.write(process.stdout.isTTY ? text : stripVTControlCharacters(text))
}

function settingsTable(): string {
  const all = Object.values(settings)
  const rows = all.map(
    (info) =>
      `  ${flagOf(info).padEnd(31)}${info.env.padEnd(23)}${info.help} (default: ${info.default})`,
  )
  const secrets = all.filter(({ isSecret }) => isSecret).map(({ env }) => `${env}_FILE`)
  return `SETTINGS of serve, migrate and rotate-encryption-key, as a flag, in the environment or in the .env
file of the current folder; the first of these that gives a value counts, and an empty one gives none:

${rows.join('\n')}

A secret can be given as a file: ${secrets.join(', ')}, in the environment or in .env
`
}

function flagOf({ flag, alias, type }: SettingInfo): string {
  if (flag === undefined) return '    (no flag)'
  const short = alias === undefined ? '    ' : `-${alias}, `
  return `${short}--${flag}${type === 'boolean' ? '[=false]' : ' <value>'}`
}
