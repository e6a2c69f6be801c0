import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that take longest, so that none of them is the last to run while others wait for it. */
const longest = [
  ...['refusals', 'backup', 'move', 'proxies', 'rotate-embedded', 'rotate-encryption-key'],
  ...['backup-restore', 'first-start', 'raw-bodies', 'nearest'],
  ...['map', 'compression', 'rights-of-streams', 'fuzz', 'metadata-cost', 'key-scopes'],
  ...['statistics', 'similars-approximate', 'authorization'],
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
