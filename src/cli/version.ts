import { defineCommand } from 'citty'
import { version } from '../version.ts'
import { checkArgs } from './flags.ts'

export const versionCommand = defineCommand({
  meta: { name: 'version', description: 'Print the version' },
  run({ rawArgs }) {
    checkArgs(rawArgs, {})
    process.stdout.write(`${version}\n`)
  },
})
