import { median } from '../../test/shared/percentiles.ts'
import { call, type Project, upTo } from '../api.ts'
import { textIdAt } from '../data.ts'
import { secondsOf } from '../scale/measures.ts'
import type { Shape, Shapes } from './cluster.ts'
import { uploadOf } from './projects.ts'

const each = 25

/** Deletes single embeddings, one after the other, in turns. @returns the median of each shape in ms */
export async function deletions(shapes: Shapes, projects: readonly Project[]): Promise<number[]> {
  const indexes = upTo(each)
  const took = new Map<Shape, number[]>(shapes.map((shape) => [shape, []]))
  for (const project of projects) {
    const body = uploadOf(project, indexes, (index) => `gone-${textIdAt(index)}`)
    for (const { owner } of shapes) await owner.upload(project, body)
    for (const index of indexes) {
      for (const [{ owner }, seconds] of took) {
        const path = `${project.embeddings}/gone-${textIdAt(index)}`
        seconds.push(await secondsOf(() => call(owner.server.url, owner.key, 'DELETE', path)))
      }
    }
  }
  return [...took.values()].map((seconds) => 1_000 * median(seconds))
}
