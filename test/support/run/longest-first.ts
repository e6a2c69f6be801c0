import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, so that none of them is the last to run while others wait for it. */
const longest = [
  'similars-approximate',
  'backup-restore',
  'rotate-embedded',
  'stopping',
  'raw-bodies',
  'life-cycle',
  'rotate-encryption-key',
  'search-indexes',
  'fuzz',
  'migrations',
  'authorization',
  'metadata-cost',
  'json-vectors',
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
