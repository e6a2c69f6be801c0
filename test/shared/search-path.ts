import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export const searchPath = process.env['PATH'] ?? ''

/** The file of a command, undefined when there is none on PATH. */
export const commandOf = (name: string) =>
  searchPath
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file))
