import { describe, expect, it } from 'vitest'
import { validateLines } from '../../src/metadata-schemes/validate.ts'
import { deviations } from '../support/json-schema/deviations.ts'
import { type SuiteGroup, suiteGroups } from '../support/json-schema/suite.ts'

/** What the service says of a value; a schema that is refused is neither right nor wrong. */
function verdict(schema: unknown, value: unknown): boolean | 'refused' {
  const outcome = validateLines(JSON.stringify(schema), Buffer.from(JSON.stringify(value)), 1)
  return 'invalid' in outcome ? 'refused' : outcome.violations.length === 0
}

const deviating = ({ schema, tests }: SuiteGroup) =>
  tests.filter(({ data, valid }) => verdict(schema, data) !== valid)

describe('the official tests of JSON Schema', () => {
  const groups = suiteGroups()

  it.each([...new Set(groups.map(({ file }) => file))])(
    'of %s come out as they should, except for the known deviations',
    (file) => {
      const found = groups.filter((group) => group.file === file)
      const differing = found.flatMap((group) =>
        deviating(group).map(({ description }) => `${group.description}: ${description}`),
      )
      expect(differing, differing.join('\n')).toHaveLength(deviations.get(file) ?? 0)
    },
  )

  it('are all there', () => {
    expect(groups.flatMap(({ tests }) => tests)).toHaveLength(3_827)
    expect(groups.map(({ file }) => file)).toEqual(expect.arrayContaining([...deviations.keys()]))
  })
})
