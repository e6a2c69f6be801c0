import { z } from 'zod'
import { setting } from './setting.ts'

const key = (length: number) =>
  z.string().min(length, `must have at least ${length} characters`).optional()

export const keySettings = {
  adminKey: setting(
    key(16).refine((value) => value === undefined || /^[\x21-\x7e]+$/.test(value), {
      message:
        'must be of ASCII letters, digits and signs without spaces, as it goes into a header',
    }),
    {
      env: 'SERVICE_ADMINKEY',
      flag: 'admin-key',
      isSecret: true,
      default: 'none; generated for embedded',
      help: 'Administrator key, at least 16 characters',
    },
  ),
  /** It has no flag, because other users of the machine can see flags. */
  encryptionKey: setting(key(32), {
    env: 'ENCRYPTION_KEY',
    isSecret: true,
    default: 'none; generated for embedded',
    help: 'Key that seals stored secrets, at least 32 characters',
  }),
}
