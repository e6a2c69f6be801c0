import { describe, expect, it } from 'vitest'
import { MetadataSchemes } from '../../src/metadata-schemes/metadata-schemes.ts'
import { endless } from '../support/json-schema/hostile-schemes.ts'

describe('metadataSchemes', () => {
  it('that leave many violations behind cost others nothing', async () => {
    const schemes = new MetadataSchemes()
    const many = JSON.stringify({ a: Array(50_000).fill(1) })
    for (let number = 0; number < 24; number += 1) {
      const filling = {
        title: `${number}`,
        definitions: { x: { items: { type: 'null' } } },
        properties: { a: { not: { $ref: '#/definitions/x' } } },
      }
      expect(await schemes.findViolations(number, JSON.stringify(filling), [many], 1)).toEqual([])
      expect(await schemes.findViolations(-1, '{"required":["a"]}', [many, '{}'], 1)).toMatchObject(
        [{ index: 1 }],
      )
    }
  })

  it('name as many violations of a batch as are asked for', async () => {
    const batch = ['{}', '{"a":1}', '{}', '{}']
    const indexes = async (most: number) =>
      (await new MetadataSchemes().findViolations(1, '{"required":["a"]}', batch, most)).map(
        ({ index }) => index,
      )
    expect(await indexes(1)).toEqual([0])
    expect(await indexes(2)).toEqual([0, 2])
    expect(await indexes(4)).toEqual([0, 2, 3])
  })

  it('that burn processor time are told so also where a machine is too busy to spare it soon', async () => {
    const schemes = new MetadataSchemes({ usualMs: 50, slowMs: 120_000 })
    const burning = schemes.findViolations(1, JSON.stringify(endless), ['{}'], 1)
    await expect(burning).rejects.toMatchObject({
      kind: 'bad-request',
      message: expect.stringContaining('took longer than 1000 ms'),
    })
  })

  it('that are given up for others are the fault of the machine', async () => {
    const schemes = new MetadataSchemes({ usualMs: 50, slowMs: 50 })
    const burning = schemes.findViolations(1, JSON.stringify(endless), ['{}'], 1)
    await expect(burning).rejects.toMatchObject({ kind: 'unavailable' })
  })
})
