import { createInterface } from 'node:readline/promises'
import type { Schemas } from '../../client/client.ts'
import { StartupError } from '../../errors.ts'
import type { Run } from '../flags.ts'
import { UsageError } from '../usage-error.ts'
import { connect, jsonFlag, namedProject } from './connection.ts'
import { embeddingsText } from './table.ts'

export const deleteEmbeddings: Run = async (given, env) => {
  const { values, more } = given
  const filter = jsonFlag(given, 'filter')
  const isAll = values['all'] === 'true'
  const text_ids = values['text_id'] === undefined ? undefined : [values['text_id'], ...more]
  if ([filter, text_ids, isAll || undefined].filter((way) => way !== undefined).length !== 1) {
    throw new UsageError('say what to delete by one of TEXT_ID…, --filter and --all')
  }
  const connection = connect(given, env)
  const path = await namedProject(connection, values['project'] ?? '')
  const { client } = connection
  const body = filter === undefined ? { text_ids: text_ids ?? [] } : { filter }
  const send = async (dry_run: boolean): Promise<Schemas['DeleteAnswer']> => {
    const params = { path, query: { dry_run } }
    const { data } = isAll
      ? await client.DELETE('/v1/embeddings/{user}/{project}', { params })
      : await client.POST('/v1/embeddings/{user}/{project}/delete', { params, body })
    return data
  }
  const found = await send(true)
  const { not_found: missing = [] } = found
  for (const textId of missing) process.stderr.write(`semblance: '${textId}' is not there\n`)
  const what = `${embeddingsText(found.matched_count)} of ${path.user}/${path.project}`
  if (values['dry-run'] === 'true' || found.matched_count === 0) {
    process.stdout.write(`${what} would be deleted\n`)
  } else {
    if (values['yes'] !== 'true') await confirm(what)
    process.stdout.write(`${(await send(false)).message}\n`)
  }
  if (missing.length > 0) throw new StartupError(`${missing.length} of them were not there`)
}

async function confirm(what: string): Promise<void> {
  if (!process.stdin.isTTY) {
    throw new UsageError(`${what} are meant; where there is no terminal to ask, give --yes`)
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // Ctrl-C and Ctrl-D are no as well.
  const answer = await terminal.question(`Delete ${what}? [y/N] `).catch(() => '')
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new StartupError('nothing was deleted')
}
