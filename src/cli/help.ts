import { stripVTControlCharacters } from 'node:util'
import { type CommandDef, renderUsage } from 'citty'
import type { SettingInfo } from '../config/setting.ts'
import { settings } from '../config/settings.ts'
import { settingsOf } from './flags.ts'

const columns = 100

/** The help of a command, or of the whole program if there is no parent. */
async function helpText(command: CommandDef, parent?: CommandDef): Promise<string> {
  const [shown, args = {}] = settingsOf(command.args) ?? [undefined, command.args]
  // The table below says more about the settings than citty can.
  const usage = await renderUsage({ ...command, args }, parent)
  const table = shown ?? (parent === undefined ? Object.values(settings) : [])
  const text =
    table.length === 0 ? usage : `${usage}\n\n${settingsTable(table, shown === undefined)}`
  // citty joins the names of all commands to one long word.
  const short = text.replace(/(?:[\w-]+\|){4,}[\w-]+/, '<command>')
  return `${short.replaceAll(/ +$/gm, '').trimEnd()}\n`
}

/** With colours on a terminal, without them elsewhere. */
export async function showHelp(command: CommandDef, parent?: CommandDef): Promise<void> {
  const text = await helpText(command, parent)
  process.stdout.write(process.stdout.isTTY ? text : stripVTControlCharacters(text))
}

/** @param ofServe whether the heading says that these are settings of serve */
function settingsTable(shown: readonly SettingInfo[], ofServe: boolean): string {
  const rows = shown.map(
    (info) =>
      `  ${flagOf(info).padEnd(34)}${info.env}\n${wrapped(`${info.help} (default: ${info.default})`, 8)}`,
  )
  const files = shown.filter(({ isSecret }) => isSecret).map(({ env }) => `${env}_FILE`)
  const intro =
    `SETTINGS${ofServe ? ' of serve' : ''}, as a flag, in the environment or in the .env file of the current folder; ` +
    'the first of these that gives a value counts, and an empty one gives none:'
  const secrets = `A secret can be given as a file, in the environment or in .env: ${files.join(', ')}`
  return `${wrapped(intro)}\n\n${rows.join('\n')}\n\n${wrapped(secrets)}\n`
}

function flagOf({ flag, alias, type }: SettingInfo): string {
  if (flag === undefined) return '    (no flag)'
  const short = alias === undefined ? '    ' : `-${alias}, `
  return `${short}--${flag}${type === 'boolean' ? '[=false]' : ' <value>'}`
}

/** Wraps a text at whole words, with so many spaces before each line. */
function wrapped(text: string, indent = 0): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + 1 + word.length > columns) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((each) => ' '.repeat(indent) + each).join('\n')
}
