import { once } from 'node:events'
import { readLines } from '../../client/client.ts'
import { usualSearch } from '../../similars/options/defaults.ts'
import type { Run } from '../flags.ts'
import { createProgress } from '../progress.ts'
import { connect, jsonFlag, namedProject, numberFlag } from './connection.ts'

interface Line {
  readonly progress?: { readonly done: number; readonly total: number | null }
  readonly done?: true
  readonly embeddings?: number
}

export const neighboursCommand: Run = async (given, env) => {
  const connection = connect(given, env)
  const filter = jsonFlag(given, 'filter')
  const { project: name = '', different } = given.values
  const path = await namedProject(connection, name)
  const answer = await connection.client.POST('/v1/similars/{user}/{project}/neighbours', {
    params: { path },
    body: {
      k: numberFlag(given, 'limit', usualSearch.limit),
      threshold: numberFlag(given, 'threshold', 0),
      ...(filter && { filter }),
      ...(different !== undefined && { different }),
    },
    parseAs: 'stream',
  })
  const progress = createProgress('embeddings compared')
  try {
    for await (const line of readLines<Line>(answer, 'done')) {
      if (line.progress !== undefined) {
        progress.show(line.progress.done, line.progress.total ?? undefined)
      } else if (line.done === undefined && !process.stdout.write(`${JSON.stringify(line)}\n`)) {
        await once(process.stdout, 'drain')
      }
    }
  } finally {
    progress.clear()
  }
}
