import { describe, expect, it } from 'vitest'
import { nearest } from '../../src/did-you-mean.ts'

const flags = ['port', 'host', 'data-dir', 'db-host', 'db-port', 'db-ssl-root-cert', 'debug']
const parameters = ['count', 'threshold', 'limit', 'offset', 'metadata_path', 'metadata_value']

describe('the nearest known name', () => {
  it.each([
    ['treshold', 'threshold'],
    ['threshhold', 'threshold'],
    ['thershold', 'threshold'],
    ['Threshold', 'threshold'],
    ['metadataPath', 'metadata_path'],
    ['metadata-valeu', 'metadata_value'],
    ['cuont', 'count'],
    ['limits', 'limit'],
  ])('of %s is %s', (given, meant) => {
    expect(nearest(given, parameters)).toBe(meant)
  })

  it.each([
    ['datadir', 'data-dir'],
    ['prot', 'port'],
    ['hosts', 'host'],
    ['dbhost', 'db-host'],
    ['db_ssl_rootcert', 'db-ssl-root-cert'],
  ])('of %s is %s', (given, meant) => {
    expect(nearest(given, flags)).toBe(meant)
  })

  it.each(['', '-', 'x', 'page', 'nonsense', 'vector', 'c'.repeat(10_000)])(
    'is none for %s, which is close to nothing',
    (given) => {
      expect(nearest(given, parameters)).toBeUndefined()
    },
  )

  it('is the closest, and of two equally close the first', () => {
    expect(nearest('db-hos', flags)).toBe('db-host')
    expect(nearest('ab', ['ac', 'ad'])).toBe('ac')
    expect(nearest('ab', ['x', 'a'])).toBeUndefined()
  })
})
