import { Readable } from 'node:stream'
import { readLines, type SemblanceClient } from '../../client/client.ts'
import { ServiceError, StartupError } from '../../errors.ts'
import { FileReader } from '../../project-files/read-file.ts'
import { createProgress } from '../progress.ts'
import { embeddingsText as counted } from '../remote/table.ts'
import type { Destination } from './destination.ts'
import { openSource } from './source.ts'

interface Line {
  readonly stored?: number
  readonly embeddings?: number
  readonly message?: string
}

/** A semblance file, which the server takes as a whole or not at all. */
export async function importWhole(
  client: SemblanceClient,
  { user, project }: Destination,
  file: string,
  isDry: boolean,
): Promise<void> {
  if (isDry) return checkWhole(file)
  const { chunks } = await openSource(file, false)
  const path = [user, project].map(encodeURIComponent).join('/')
  const response = await client.fetch(`/v1/projects/${path}/import`, {
    method: 'POST',
    body: Readable.toWeb(Readable.from(chunks)),
    duplex: 'half',
    headers: file.endsWith('.gz') ? { 'Content-Encoding': 'gzip' } : {},
  })
  const progress = createProgress('embeddings')
  const lines = readLines<Line>({ data: response.body, response }, 'message')
  try {
    for await (const { stored, embeddings, message } of lines) {
      if (stored !== undefined) progress.show(stored, embeddings)
      if (message === undefined) continue
      progress.clear()
      process.stdout.write(`${message}, ${counted(embeddings ?? 0)}\n`)
    }
  } finally {
    progress.clear()
  }
}

/** As the server would read it. */
async function checkWhole(file: string): Promise<void> {
  const reader = new FileReader((await openSource(file)).chunks)
  let count = 0
  try {
    const { instance } = await reader.manifest()
    for await (const _ of reader.rows(instance?.dimensions)) count += 1
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new StartupError(`${file}: ${error.message}`)
  }
  process.stdout.write(`${counted(count)} of ${file} would be uploaded; nothing was sent\n`)
}
