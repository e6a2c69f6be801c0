import type { Mode } from '../bare.ts'
import type { PostgresBench } from '../bench.ts'
import { filterQuery, textIdAt } from '../data.ts'
import { type Figures, mean } from '../figures.ts'
import { alternate } from '../load.ts'
import { judge } from '../report.ts'
import { besides, vectorBody } from './besides.ts'
import type { Scene } from './scene.ts'

/** Where one answer takes longer than this, more clients would only wait longer. */
const slowMs = 250

/** By id and by vector, for each number of clients; `parameter` is for the query string. */
export async function measureSearches(
  { plan, report }: PostgresBench,
  scene: Scene,
  parameter: string,
  p50s: Map<string, number>,
): Promise<void> {
  const { vectors, dimensions } = scene.target
  for (const by of ['id', 'vector'] as const) {
    const query = `?threshold=0&${parameter}`
    const { mode, recall } = await checkAnswers(scene, by, query, false)
    await besides(scene, by, query, mode, false, async (http, bare, efSearch) => {
      for (const clients of plan.clients) {
        const [ours, theirs] = await alternate([http, bare], clients, plan)
        if (ours === undefined || theirs === undefined) continue
        if (by === 'id' && parameter === '' && clients === 1) {
          p50s.set(`${vectors} × ${dimensions}`, ours.p50)
        }
        report.add('search', {
          project: `${vectors} × ${dimensions}`,
          search: `by ${by}${parameter && `, ${parameter}`}`,
          mode,
          clients,
          ...sideBySide(ours, theirs),
          'bare ef_search': efSearch,
          'recall@10': recall,
          target: searchTargets(scene, by, mode, clients, ours, theirs, p50s),
        })
        if (ours.p50 > slowMs) break
      }
    })
  }
}

/** The filter, by id, with one client. */
export async function measureFiltered(
  { plan, report }: PostgresBench,
  scene: Scene,
  parameter: string,
): Promise<void> {
  const query = `?threshold=0&${parameter}&${filterQuery}`
  const { mode, recall } = await checkAnswers(scene, 'id', query, true)
  await besides(scene, 'id', query, mode, true, async (http, bare, efSearch) => {
    const [ours, theirs] = await alternate([http, bare], 1, plan)
    if (ours === undefined || theirs === undefined) return
    report.add('search', {
      project: `${scene.target.vectors} × ${scene.target.dimensions}`,
      search: `by id, filtered${parameter && `, ${parameter}`}`,
      mode,
      clients: 1,
      ...sideBySide(ours, theirs),
      'bare ef_search': efSearch,
      'recall@10': recall,
      target: '',
    })
  })
}

export const sideBySide = (http: Figures, bare: Figures) => ({
  'p50 ms': http.p50,
  'p95 ms': http.p95,
  'p99 ms': http.p99,
  '/s': http.perSecond,
  'bare p50 ms': bare.p50,
  'bare /s': bare.perSecond,
  'p50 ÷': http.p50 / bare.p50,
  '/s ÷': http.perSecond / bare.perSecond,
})

function searchTargets(
  { target: { vectors, dimensions } }: Scene,
  by: 'id' | 'vector',
  mode: string,
  clients: number,
  http: Figures,
  bare: Figures,
  p50s: ReadonlyMap<string, number>,
): string {
  const size = `${vectors} × ${dimensions}`
  const rate = { name: '/s ÷ bare', value: http.perSecond / bare.perSecond }
  const smaller = p50s.get('10000 × 1536')
  const larger = p50s.get('200000 × 1536')
  const grown = size === '200000 × 1536' && http.p50 === larger && smaller !== undefined
  return judge(
    clients === 1 ? { name: 'p50 ÷ bare', value: http.p50 / bare.p50, atMost: 1.25 } : undefined,
    clients === 16 && size === '10000 × 1536' && mode === 'exact'
      ? { ...rate, atLeast: 0.85 }
      : undefined,
    clients === 16 && mode === 'approximate' && (by === 'vector' || size === '50000 × 1536')
      ? { ...rate, atLeast: by === 'vector' && dimensions >= 1_000 ? 0.8 : 0.7 }
      : undefined,
    grown ? { name: 'p50 ÷ 10000 × 1536', value: larger / smaller, atMost: 3 } : undefined,
  )
}

/** Asks every query once. */
async function checkAnswers(scene: Scene, by: 'id' | 'vector', query: string, filtered: boolean) {
  const { owner, project, generator, truth } = scene
  const queries = by === 'id' ? scene.stored : scene.others
  const answers = []
  for (const index of queries) {
    const answer =
      by === 'id'
        ? await owner.search(`${project.similars}/${textIdAt(index)}${query}`)
        : await owner.search(`${project.similars}${query}`, vectorBody(generator.vectorAt(index)))
    answers.push({ ...answer, recall: truth.recall(index, answer.ids, filtered) })
  }
  const approximate = answers.some(({ mode }) => mode === 'approximate')
  const mode: Mode = approximate ? 'approximate' : 'exact'
  return { mode, recall: mean(answers.map(({ recall }) => recall)) }
}
