import { z } from 'zod'
import { integer, setting, switchValue } from './setting.ts'

export const serverSettings = {
  debug: setting(switchValue.default(true), {
    env: 'SERVICE_DEBUG',
    flag: 'debug',
    alias: 'd',
    help: 'Verbose logging',
  }),
  host: setting(z.string().default('localhost'), {
    env: 'SERVICE_HOST',
    flag: 'host',
    help: 'Bind address',
  }),
  port: setting(integer(0, 65_535).default(8880), {
    env: 'SERVICE_PORT',
    flag: 'port',
    alias: 'p',
    help: 'Listening port; 0 takes a free one',
  }),
  workers: setting(
    z
      .union([z.literal('auto'), integer(1, 256)], {
        error: 'must be auto or a whole number between 1 and 256',
      })
      .default(1),
    {
      env: 'SERVICE_WORKERS',
      flag: 'workers',
      help: 'Processes that serve, on PostgreSQL; auto for one for each core',
    },
  ),
}
