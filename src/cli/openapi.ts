import { type ArgsDef, defineCommand } from 'citty'
import { StartupError } from '../errors.ts'
import { checkArgs } from './flags.ts'

const args: ArgsDef = {
  format: { type: 'string', description: 'yaml or json [default: yaml]' },
}

export const openapi = defineCommand({
  meta: { name: 'openapi', description: 'Print the OpenAPI document; needs no database' },
  args,
  async run({ rawArgs }) {
    const { format = 'yaml' } = checkArgs(rawArgs, args).values
    if (format !== 'yaml' && format !== 'json') {
      throw new StartupError('--format must be yaml or json')
    }
    const { describeService } = await import('../server/describe.ts')
    process.stdout.write(describeService(format))
  },
})
