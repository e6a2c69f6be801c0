import { call, upTo } from '../api.ts'
import type { PostgresBench } from '../bench.ts'
import { alternate, withLoad } from '../load.ts'
import { judge } from '../report.ts'
import { searchesByVector, vectorBody } from './besides.ts'
import type { Scene } from './scene.ts'

const size = 100

/** One client that searches by vector: one by one, and a hundred in a request. */
export async function measureBatches({ plan, report }: PostgresBench, scene: Scene): Promise<void> {
  const { owner, project, target } = scene
  // All different, so that nothing is answered from what was just asked.
  const vectors = upTo(size).map((at) => scene.generator.vectorAt(target.vectors + at))
  const path = `${project.similars}/batch`
  const body = Buffer.from(`{"searches":[${vectors.map(vectorBody).join(',')}]}`)
  const { answer } = await call(owner.server.url, owner.key, 'POST', path, body)
  const answered = JSON.stringify(answer).split('"results":').length - 1
  if (answered !== size) throw new Error(`${answered} of ${size} searches were answered`)
  const single = searchesByVector(scene, vectors, '')
  const together = { ...single, requests: [{ method: 'POST' as const, path, body }] }
  const [one, many] = await withLoad(single, (each) =>
    withLoad(together, (batch) => alternate([each, batch], 1, plan)),
  )
  if (one === undefined || many === undefined) return
  const rate = many.perSecond * size
  const ratio = { name: '/s ÷ single', value: rate / one.perSecond, atLeast: 1.5 }
  report.add('search in batches', {
    project: `${target.vectors} × ${target.dimensions}`,
    'single /s': one.perSecond,
    'batches of 100: /s': rate,
    '/s ÷ single': ratio.value,
    'batch p50 ms': many.p50,
    target: judge(ratio),
  })
}
