import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, so that none of them is the last to run while others wait for it. */
const longest = [
  'refusals',
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

/** Keeps the tests of a project together, whose database a worker keeps. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    return sorted.toSorted(
      (a, b) =>
        projects.indexOf(a.project.name) - projects.indexOf(b.project.name) ||
        placeOf(a) - placeOf(b),
    )
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return place === -1 ? longest.length : place
}
