import { readFileSync } from 'node:fs'
import { StartupError } from '../errors.ts'

/** What one place gives, such as the environment. */
export type Strings = { readonly [env: string]: string | undefined }

/**
 * Reads a secret from one place, such as the environment: its value, or the content of the file
 * that `NAME_FILE` names, without one newline at its end. An empty setting counts as not given.
 * @throws StartupError that never repeats what was given, which may be the secret itself
 */
export function secretFrom(values: Strings, name: string): string | undefined {
  const value = values[name]
  const file = values[`${name}_FILE`]
  if (!file) return value || undefined
  if (value)
    throw new StartupError(`${name} and ${name}_FILE are both given; leave one of them out`)
  const content = contentOf(file, `${name}_FILE`).replace(/\r?\n$/, '')
  if (content === '') throw new StartupError(`${name}_FILE names an empty file`)
  return content
}

function contentOf(file: string, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const why = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : code
    throw new StartupError(`${name} names a file that cannot be read (${why})`)
  }
}
