import type { Run } from '../flags.ts'
import { connect } from './connection.ts'
import { allProjects } from './projects.ts'
import { table } from './table.ts'

export const usersCommand: Run = async (given, env) => {
  const { client } = connect(given, env)
  const { data } = await client.GET('/v1/users')
  const found = new Map(
    data.users.map((user) => [user, { user, projects: 0, embeddings: 0, bytes: 0 }]),
  )
  const withBytes = given.values['bytes'] === 'true'
  for await (const { owner, project_handle: project, embedding_count } of allProjects(client)) {
    const sums = found.get(owner)
    if (sums === undefined) continue
    sums.projects += 1
    sums.embeddings += embedding_count
    if (!withBytes) continue
    const params = { path: { user: owner, project } }
    const statistics = await client.GET('/v1/projects/{user}/{project}/statistics', { params })
    sums.bytes += statistics.data.bytes.total
  }
  const all = [...found.values()].map(({ bytes, ...rest }) =>
    withBytes ? { ...rest, bytes } : rest,
  )
  if (given.values['json'] === 'true') process.stdout.write(`${JSON.stringify(all, null, 2)}\n`)
  else {
    const names = ['user', 'projects', 'embeddings', ...(withBytes ? ['bytes'] : [])]
    process.stdout.write(
      table(
        names,
        all.map((row) => Object.values(row)),
      ) || 'There are no users yet\n',
    )
  }
}
