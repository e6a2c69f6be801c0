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
}
