import type { Schemas, SemblanceClient } from '../../client/client.ts'
import type { Run } from '../flags.ts'
import { connect } from './connection.ts'
import { table } from './table.ts'

const pageSize = 200

/** All that the caller may read. */
export async function* allProjects(
  client: SemblanceClient,
): AsyncGenerator<Schemas['VisibleProject'], void> {
  for (let offset = 0; ; offset += pageSize) {
    const query = { limit: pageSize, offset }
    const { data } = await client.GET('/v1/projects', { params: { query } })
    yield* data.projects
    if (data.projects.length < pageSize) return
  }
}

export const projectsCommand: Run = async (given, env) => {
  const { client } = connect(given, env)
  const all: Schemas['VisibleProject'][] = []
  for await (const each of allProjects(client)) all.push(each)
  if (given.values['json'] === 'true') {
    process.stdout.write(`${JSON.stringify(all, null, 2)}\n`)
    return
  }
  const rows = all.map((each) => [
    `${each.owner}/${each.project_handle}`,
    [each.role ?? '', each.public_read ? 'public' : ''].filter(Boolean).join(', '),
    each.embedding_count,
    each.dimensions,
    each.model,
    each.description,
  ])
  const names = ['project', 'access', 'embeddings', 'dimensions', 'model', 'description']
  process.stdout.write(table(names, rows) || 'There is no project that you may read\n')
}
