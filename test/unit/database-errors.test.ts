import { describe, expect, it } from 'vitest'
import { explainDatabaseError } from '../../src/db/errors.ts'

const refusal = (code: string) => Object.assign(new Error('refused'), { code })

describe('an error of the database', () => {
  // npm run torture -- --only=citus has seen it, of a deletion while its shard was moved.
  it.each(['CIINF', '08006', '57P03', 'XX000'])('%s is answered 503', (code) => {
    expect(explainDatabaseError(refusal(code))).toMatchObject({ kind: 'unavailable' })
  })

  it('that nothing explains is a defect', () => {
    expect(explainDatabaseError(refusal('42P01'))).toBe(undefined)
  })
})
