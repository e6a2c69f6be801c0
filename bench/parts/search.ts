import { note } from '../../test/shared/time.ts'
import { createOwner } from '../api.ts'
import type { PostgresBench } from '../bench.ts'
import { textIdAt } from '../data.ts'
import { type Sql, withDatabase } from '../database.ts'
import type { SearchSize } from '../plan.ts'
import { databaseSettings, noIndexes, withServer } from '../server.ts'
import { measureBatches } from './batches.ts'
import { settledMode } from './index-wait.ts'
import { type Scene, setScene } from './scene.ts'
import { measureFiltered, measureSearches } from './search-rows.ts'

/** Searches beside bare SQL, for every size of the plan. */
export async function search(bench: PostgresBench): Promise<void> {
  const { runtime } = bench.plan
  const p50s = new Map<string, number>()
  for (const size of bench.plan.searches) {
    note(`search: ${size.vectors} × ${size.dimensions}`)
    await withDatabase(bench.databaseServer, async (database, sql) => {
      const indexes = size.modes === 'exact' ? noIndexes : {}
      await withServer(runtime, { ...databaseSettings(database), ...indexes }, async (server) => {
        const owner = await createOwner(server)
        const scene = await setScene(bench, size, owner, database, sql)
        for (const parameter of await parametersFor(scene, size, sql)) {
          await measureSearches(bench, scene, parameter, p50s)
          await measureFiltered(bench, scene, parameter)
          if (parameter === '') await measureBatches(bench, scene)
        }
      })
    })
  }
}

/** The query strings that select the modes which this size is measured in. */
async function parametersFor(scene: Scene, size: SearchSize, sql: Sql): Promise<string[]> {
  if (size.modes === 'exact') return ['exact=true']
  const { owner, project, stored, target } = scene
  const path = `${project.similars}/${textIdAt(stored[0] ?? 0)}?threshold=0`
  const components = target.vectors * target.dimensions
  const mode = await settledMode(components, sql, () => owner.search(path))
  return size.modes === 'default' || mode === 'exact' ? [''] : ['', 'exact=true']
}
