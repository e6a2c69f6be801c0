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
  tests.filter(({ data, valid }) => verdict(schema, data) !== valid).length

describe('the official tests of JSON Schema', () => {
  it('come out as they should, except for the known deviations', () => {
    const groups = suiteGroups()
    expect(groups.flatMap(({ tests }) => tests).length).toBe(3_827)
    const found = groups.map((group) => [group.name, deviating(group)] as const)
    expect(new Map(found.filter(([, tests]) => tests > 0))).toEqual(deviations)
  })
})
