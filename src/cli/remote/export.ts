import { once } from 'node:events'
import { extname } from 'node:path'
import { StartupError } from '../../errors.ts'
import type { Run } from '../flags.ts'
import { createProgress } from '../progress.ts'
import { UsageError } from '../usage-error.ts'
import { writeWhole } from '../whole-file.ts'
import { connect, jsonFlag, namedProject } from './connection.ts'

/** How a whole file ends. Whether lines are whole the transfer says. */
const ends = {
  ndjson: /^$|\n$/,
  parquet: /PAR1$/,
  semblance: /\n\{"embeddings":\d+,"sha256":"[0-9a-f]{64}"\}\n$/,
}
type Format = keyof typeof ends
const isFormat = (name: string): name is Format => Object.hasOwn(ends, name)
const formatOfEnding: Readonly<Record<string, Format>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.parquet': 'parquet',
  '.pq': 'parquet',
  '.semblance': 'semblance',
}

/** @throws UsageError for a file that is called what it would not be */
function formatOf(given: string | undefined, output = ''): Format {
  if (given !== undefined && !isFormat(given))
    throw new UsageError('--format must be ndjson, parquet or semblance')
  const ending = extname(output).toLowerCase()
  const named = formatOfEnding[ending]
  if (given !== undefined && named !== undefined && given !== named)
    throw new UsageError(
      `--format ${given} is not what a name that ends in ${ending} says; leave it out or choose another name`,
    )
  return given ?? named ?? 'ndjson'
}

export const exportProject: Run = async (given, env) => {
  const { project: name = '', format: wanted, output, include } = given.values
  const format = formatOf(wanted, output)
  const filter = jsonFlag(given, 'filter')
  const connection = connect(given, env)
  const path = await namedProject(connection, name)
  const { data } = await connection.client.GET('/v1/projects/{user}/{project}/export', {
    params: {
      path,
      query: {
        format,
        ...(filter && { filter: JSON.stringify(filter) }),
        ...(include !== undefined && { include }),
      },
    },
    parseAs: 'stream',
  })
  const whole = checkedEnd(data ?? [], ends[format])
  if (output === undefined || output === '-') {
    for await (const chunk of whole) {
      if (!process.stdout.write(chunk)) await once(process.stdout, 'drain')
    }
    return
  }
  const bytes = await writeWhole(whole, output, 0o666)
  process.stdout.write(`${output} has ${bytes.toLocaleString('en')} bytes\n`)
}

const maxEnd = 128

/** @throws StartupError for a file that does not end as it should */
async function* checkedEnd(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  wanted: RegExp,
) {
  const progress = createProgress('bytes')
  let end = Buffer.alloc(0)
  let bytes = 0
  try {
    for await (const chunk of chunks) {
      end = Buffer.concat([end, chunk.subarray(-maxEnd)]).subarray(-maxEnd)
      bytes += chunk.length
      progress.show(bytes, undefined)
      yield chunk
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : error
    throw new StartupError(`the export broke off after ${bytes} bytes: ${reason}`)
  } finally {
    progress.clear()
  }
  if (wanted.test(end.toString('latin1'))) return
  throw new StartupError(`the export ended after ${bytes} bytes, before it was complete`)
}
