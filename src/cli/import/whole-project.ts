import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { readLines, type SemblanceClient } from '../../client/client.ts'
import { isObject } from '../../embeddings/metadata.ts'
import { StartupError } from '../../errors.ts'
import { linesIn } from '../../json/lines.ts'
import { createProgress } from '../progress.ts'
import { embeddingsText as counted } from '../remote/table.ts'
import type { Destination } from './destination.ts'
import { type Expected, toItem } from './item.ts'
import { maxLine, parsed } from './ndjson.ts'
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

/** Every line, and at last their count and digest: docs/portable-file.md. */
async function checkWhole(file: string): Promise<void> {
  const { chunks } = await openSource(file)
  const refused = (line: number, problem: string) =>
    new StartupError(`${file}, line ${line}: ${problem}`)
  const hash = createHash('sha256')
  let expected: Expected | undefined
  let count = 0
  let isWhole = false
  for await (const { number, bytes } of linesIn(chunks, maxLine)) {
    const line = parsed(bytes)
    const value = 'value' in line && isObject(line.value) ? line.value : undefined
    if (value === undefined || isWhole) throw refused(number, 'it is no line of a semblance file')
    if (number === 1) {
      if (value['semblance'] !== 1) throw refused(1, 'it is no semblance file of version 1')
      const { instance } = value
      const own = isObject(instance) ? instance['dimensions'] : undefined
      if (typeof own === 'number') expected = { length: own, of: 'the instance' }
    } else if (typeof value['sha256'] === 'string' && !('text_id' in value)) {
      if (value['embeddings'] !== count) throw refused(number, `there are ${count} embeddings`)
      if (value['sha256'] !== hash.digest('hex')) throw refused(number, 'the SHA-256 does not fit')
      isWhole = true
    } else {
      const item = toItem({ line: number, value }, expected, new Set())
      if (typeof item === 'string') throw refused(number, item)
      count += 1
    }
    if (!isWhole) hash.update(bytes).update('\n')
  }
  if (!isWhole) throw new StartupError(`${file} ends too early`)
  process.stdout.write(`${counted(count)} of ${file} would be uploaded; nothing was sent\n`)
}
