import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, so that none of them is the last to run while others wait for it. */
const longest = [
  'refusals',
  'move',
  'rotate-interrupted',
  'backup',
  'rotate-embedded',
  'first-start',
  'raw-bodies',
  'rotate-encryption-key',
  'fuzz',
  'metadata-cost',
  'similars-approximate',
  'nearest',
  'backup-restore',
  'authorization',
]

/** The first need nothing that is still being made. The last have the shortest files, with which all workers end at once. */
const order = ['unit', 'process', 'postgres', 'embedded']

/** Keeps the tests of a project together, whose database a worker keeps. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted(
      (a, b) =>
        order.indexOf(a.project.name) - order.indexOf(b.project.name) || placeOf(a) - placeOf(b),
    )
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return place === -1 ? longest.length : place
}
