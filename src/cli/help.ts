import { stripVTControlCharacters } from 'node:util'
import { renderUsage } from 'citty'
import type { SettingInfo } from '../config/setting.ts'
import { settings } from '../config/settings.ts'
import { version } from '../version.ts'
import type { Command } from './flags.ts'
import { print } from './print.ts'

const columns = 100

/** The help of one command, or of the whole program. */
async function helpText(commands: Readonly<Record<string, Command>>, name?: string) {
  const meta = {
    name: 'semblance',
    version,
    description: 'Stores vector embeddings of texts and finds the similar ones',
  }
  const command = name === undefined ? undefined : commands[name]
  if (name === undefined || command === undefined) {
    const subCommands = Object.fromEntries(
      Object.entries(commands).map(([each, { description }]) => [each, { meta: { description } }]),
    )
    const usage = await renderUsage({ meta, subCommands })
    // citty joins the names of all commands to one long word.
    const short = usage.replace(/(?:[\w-]+\|){4,}[\w-]+/, '<command>')
    return `${short}\n\n${settingsTable(Object.values(settings), true)}`
  }
  const { description, args = {}, settings: shown } = command
  // The table says more about the settings than citty can.
  const usage = await renderUsage({ meta: { name, description }, args }, { meta })
  return shown === undefined ? usage : `${usage}\n\n${settingsTable(shown, false)}`
}

/**
 * Prints the help with colours on a terminal, without them elsewhere.
 * @param name the command; undefined for the whole program
 */
export async function showHelp(commands: Readonly<Record<string, Command>>, name?: string) {
  const text = await helpText(commands, name)
  const tidy = `${text.replaceAll(/ +$/gm, '').trimEnd()}\n`
  await print(process.stdout.isTTY ? tidy : stripVTControlCharacters(tidy))
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
