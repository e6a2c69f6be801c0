import { createClient } from '../../client/client.ts'
import { textQueryAudiences } from '../../db/text-query-columns.ts'
import { type ConflictRule, conflictRules } from '../../embeddings/conflict-rule.ts'
import { StartupError } from '../../errors.ts'
import type { GivenFlags, Run } from '../flags.ts'
import { createProgress } from '../progress.ts'
import { connect, namedProject, numberFlag } from '../remote/connection.ts'
import { embeddingsText } from '../remote/table.ts'
import { UsageError } from '../usage-error.ts'
import { makeProject, projectDimensions } from './destination.ts'
import { type ImportRow, type Item, toItem } from './item.ts'
import { openSource } from './source.ts'
import { blocksOf, type Sums, sendBlock, upload } from './upload.ts'

interface Opened {
  readonly rows: AsyncIterable<ImportRow>
  readonly part: () => number | undefined
  readonly place?: 'row'
}

/** What is not for a file of a whole project. */
const forItems = [
  ...['vectors', 'model', 'endpoint', 'api-standard', 'text-queries'],
  ...['on-conflict', 'concurrency'],
]
const audienceOf = (who: string) => textQueryAudiences.find((known) => known === who)
const isRule = (rule: string): rule is ConflictRule => conflictRules.some((known) => known === rule)

export const importFile: Run = async (given, env) => {
  const { values } = given
  const { project: name = '', file = '' } = values
  const { rule, concurrency, isDry, textQueries } = optionsOf(given)
  const connection = connect(given, env)
  const { client, url, key } = connection
  const path = await namedProject(connection, name)
  if (/\.semblance(\.gz)?$/i.test(file)) {
    const other = forItems.find((flag) => values[flag] !== undefined)
    if (other !== undefined) throw new UsageError(`--${other} is not for a semblance file`)
    const { importWhole } = await import('./whole-project.ts')
    return importWhole(client, path, file, isDry)
  }
  const ignored = new Set<string>()
  const { rows, part, place = 'line' } = await open(given, file, ignored)
  const there = await projectDimensions(client, path, values)
  process.once('SIGINT', () => {
    process.stderr.write('\nsemblance: stopped; the same command goes on from here\n')
    process.exit(130)
  })
  const sums = { read: 0, done: 0, stored: 0, replaced: 0 }
  const items = counted(checked(rows, `${file}, ${place}`, there, ignored, isDry), sums)
  const progress = createProgress('embeddings')
  const make = (dimensions: number) =>
    isDry ? undefined : makeProject(client, path, dimensions, { ...values, textQueries })
  const blocks = there === undefined ? made(blocksOf(items), make) : blocksOf(items)
  const sender = createClient({ url, key, retries: 0 })
  const send = async (block: readonly Item[]) => {
    if (isDry) sums.done += block.length
    else await sendBlock(sender, path, rule, block, sums)
    // What was read is ahead of what was sent.
    const readPart = part()
    progress.show(sums.done, readPart && readPart * (sums.done / sums.read))
  }
  // One after another where it matters which of two with the same text_id comes last.
  const atOnce = rule === 'replace' || isDry ? 1 : concurrency
  await upload(blocks, send, atOnce).finally(progress.clear)
  if (ignored.size > 0) process.stderr.write(`semblance: not stored: ${[...ignored].join(', ')}\n`)
  process.stdout.write(`${told(file, `${path.user}/${path.project}`, isDry, sums)}\n`)
}

function optionsOf(given: GivenFlags) {
  const { 'on-conflict': rule = 'skip', 'dry-run': dryRun, 'text-queries': who } = given.values
  if (!isRule(rule)) throw new UsageError('--on-conflict must be skip, replace or error')
  const textQueries = who === undefined ? undefined : audienceOf(who)
  if (who !== textQueries) {
    throw new UsageError('--text-queries must be off, members or everybody')
  }
  const concurrency = Math.floor(numberFlag(given, 'concurrency', 3))
  if (concurrency < 1 || concurrency > 16) throw new UsageError('--concurrency must be 1 to 16')
  return { rule, concurrency, isDry: dryRun === 'true', textQueries }
}

function told(file: string, project: string, isDry: boolean, sums: Sums): string {
  const { done, stored, replaced } = sums
  if (isDry) return `${embeddingsText(done)} of ${file} would be uploaded; nothing was sent`
  const before = (done - stored - replaced).toLocaleString('en')
  const more = replaced > 0 ? `, ${replaced.toLocaleString('en')} replaced` : ''
  return `${embeddingsText(stored)} uploaded to ${project}${more}, ${before} there already`
}

/** By the name of the file; what has another one, and stdin, is lines. */
async function open({ values }: GivenFlags, file: string, ignored: Set<string>): Promise<Opened> {
  const { vectors } = values
  const [, kind] = /\.(csv|tsv|parquet)(?:\.gz)?$/.exec(file.toLowerCase()) ?? []
  if ((kind === 'csv' || kind === 'tsv') !== (vectors !== undefined)) {
    throw new UsageError('a CSV file needs --vectors FILE.npy, and nothing else does')
  }
  if (kind === 'parquet') return (await import('./parquet.ts')).openParquet(file, ignored)
  if (vectors !== undefined) {
    const [csv, npy] = await Promise.all([import('./csv.ts'), import('./npy.ts')])
    const delimiter = kind === 'tsv' ? '\t' : ','
    // Before anything is sent: behind a row that is missing, all would have the vectors of others.
    const rows = await csv.countRows((await openSource(file)).chunks, delimiter)
    const count = await npy.countNpyRows(vectors)
    if (rows !== count) throw new StartupError(`there are ${rows} rows and ${count} vectors`)
    const { chunks, part } = await openSource(file)
    return { rows: csv.csvRows(chunks, npy.npyRows(vectors), delimiter), part }
  }
  const { chunks, part } = await openSource(file)
  return { rows: (await import('./ndjson.ts')).ndjsonRows(chunks), part }
}

const maxReported = 20

/**
 * What can be sent. The first that cannot ends it, with its line; a dry run goes on to tell others too.
 * @param place of a row, but for its number
 * @param dimensions undefined where the first one decides
 */
async function* checked(
  rows: AsyncIterable<ImportRow>,
  place: string,
  dimensions: number | undefined,
  ignored: Set<string>,
  isDry: boolean,
): AsyncGenerator<Item, void> {
  let wanted = dimensions === undefined ? undefined : { length: dimensions, of: 'the project' }
  let wrong = 0
  for await (const row of rows) {
    const item = toItem(row, wanted, ignored)
    if (typeof item !== 'string') {
      wanted ??= { length: item.vector.length, of: 'the first' }
      yield item
      continue
    }
    wrong += 1
    const problem = `${place} ${row.line}: ${item}`
    if (!isDry) throw new StartupError(problem)
    if (wrong <= maxReported) process.stderr.write(`semblance: ${problem}\n`)
  }
  if (wrong > 0) throw new StartupError(`${wrong} of them cannot be uploaded`)
}

/** The same; what they go into is made before the first of them. */
async function* made(
  blocks: AsyncIterable<Item[]>,
  make: (dimensions: number) => unknown,
): AsyncGenerator<Item[], void> {
  let isMade = false
  for await (const block of blocks) {
    if (!isMade) await make(block[0]?.vector.length ?? 0)
    isMade = true
    yield block
  }
}

async function* counted(items: AsyncIterable<Item>, sums: { read: number }) {
  for await (const item of items) {
    sums.read += 1
    yield item
  }
}
