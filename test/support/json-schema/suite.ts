import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'

const Group = z.object({
  description: z.string(),
  schema: z.unknown(),
  tests: z.array(z.object({ description: z.string(), data: z.unknown(), valid: z.boolean() })),
})

const Suite = z.record(z.string(), z.record(z.string(), z.array(Group)))

export interface SuiteGroup extends z.output<typeof Group> {
  /** Draft and file. */
  readonly file: string
}

/** The official tests of three drafts; see test/fixtures/json-schema-test-suite.md. */
export function suiteGroups(): SuiteGroup[] {
  const file = new URL('../../fixtures/json-schema-test-suite.json.gz', import.meta.url)
  const suite = Suite.parse(JSON.parse(gunzipSync(readFileSync(file)).toString()))
  return Object.entries(suite).flatMap(([draft, files]) =>
    Object.entries(files).flatMap(([file, groups]) =>
      groups.map((group) => ({ ...group, file: `${draft} ${file}` })),
    ),
  )
}
