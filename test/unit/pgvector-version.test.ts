import { describe, expect, it } from 'vitest'
import { checkVersion, isSound } from '../../src/db/pgvector.ts'
import { StartupError } from '../../src/errors.ts'

describe('a version of pgvector', () => {
  it.each(['0.8.4', '0.8.10', '0.10.0', '1.0', '0.9.0-dev'])('%s is taken', (version) => {
    expect(checkVersion(version)).toBeUndefined()
    expect(isSound(version)).toBe(true)
  })

  it.each(['0.7.0', '0.7.4', '0.8.3', '0.8.3.1'])('%s is warned of', (version) => {
    expect(checkVersion(version)).toBe(
      `pgvector ${version} has known index bugs; update to 0.8.4 or newer`,
    )
    expect(isSound(version)).toBe(false)
  })

  it.each(['0.6.2', '0.5.1', 'none'])('%s is refused', (version) => {
    expect(() => checkVersion(version)).toThrow(StartupError)
  })
})
