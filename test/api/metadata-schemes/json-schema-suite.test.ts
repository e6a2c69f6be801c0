import { describe, expect, it } from 'vitest'
import { setScheme, uploadMetadata } from '../../support/data/metadata.ts'
import { newProject } from '../../support/factories.ts'
import { deviations } from '../../support/json-schema/deviations.ts'
import { suiteGroups } from '../../support/json-schema/suite.ts'

const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every twentieth of those that are about objects, as metadata are. */
const sample = suiteGroups()
  .filter(({ name, tests }) => !deviations.has(name) && tests.every(({ data }) => isObject(data)))
  .filter((_, index) => index % 20 === 0)

describe('the official tests of JSON Schema', () => {
  it('decide what is uploaded', async () => {
    const project = await newProject()
    expect(sample.length).toBeGreaterThan(10)
    for (const { name, schema, tests } of sample) {
      expect((await setScheme(project, schema)).status, name).toBe(200)
      for (const { description, data, valid } of tests) {
        const { status } = await uploadMetadata(project, data)
        expect(status, `${name}: ${description}`).toBe(valid ? 201 : 400)
      }
    }
  })
})
