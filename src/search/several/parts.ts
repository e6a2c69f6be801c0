import type { ProjectWithCollection } from '../../access/project.ts'
import { usualBytes } from '../../embeddings/bounded-rows.ts'
import type { PartsOfSome, ShownResult } from '../answer.ts'
import type { createSearch } from '../similar.ts'

/** Reads the stored parts of results of several projects, in the order of the results. */
export async function* partsOfSeveral(
  { partsOf }: Pick<ReturnType<typeof createSearch>, 'partsOf'>,
  projects: readonly ProjectWithCollection[],
  wanted: readonly ShownResult[],
): AsyncGenerator<PartsOfSome> {
  const maxBytes = Math.floor(usualBytes / projects.length)
  async function* rowsOf(project: ProjectWithCollection, at: number) {
    const own = [...wanted.entries()].filter(([, { result }]) => result.project === at)
    if (own.length === 0) return
    const all = own.map(([, each]) => each)
    for await (const { rows } of partsOf(project, all, maxBytes)) {
      for (const row of rows) yield { ...row, place: own[row.place]?.[0] ?? 0 }
    }
  }
  const heads: { row: PartsOfSome['rows'][number]; of: ReturnType<typeof rowsOf> }[] = []
  const pull = async (of: ReturnType<typeof rowsOf>) => {
    const { value, done } = await of.next()
    if (done !== true) heads.push({ row: value, of })
  }
  for (const [at, project] of projects.entries()) await pull(rowsOf(project, at))
  for (;;) {
    const [next] = heads.sort((one, other) => one.row.place - other.row.place)
    if (next === undefined) break
    heads.shift()
    yield { rows: [next.row], isLast: false }
    await pull(next.of)
  }
  yield { rows: [], isLast: true }
}
