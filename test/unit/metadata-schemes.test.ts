import { describe, expect, it } from 'vitest'
import { MetadataSchemes } from '../../src/metadata-schemes/metadata-schemes.ts'

describe('metadataSchemes', () => {
  it('that leave many violations behind cost others nothing', { timeout: 120_000 }, async () => {
    const schemes = new MetadataSchemes()
    const many = JSON.stringify({ a: Array(50_000).fill(1) })
    for (let number = 0; number < 24; number += 1) {
      const filling = {
        title: `${number}`,
        definitions: { x: { items: { type: 'null' } } },
        properties: { a: { not: { $ref: '#/definitions/x' } } },
      }
      expect(await schemes.findViolation(number, JSON.stringify(filling), [many])).toBeUndefined()
      expect(await schemes.findViolation(-1, '{"required":["a"]}', [many, '{}'])).toMatchObject({
        index: 1,
      })
    }
  })
})
