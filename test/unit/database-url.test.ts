import { describe, expect, it } from 'vitest'
import { parseDatabaseUrl } from '../../src/config/database-url.ts'
import { StartupError } from '../../src/errors.ts'

describe('the URL of the database', () => {
  it.each([
    ['postgres://', {}],
    ['postgresql:///', {}],
    ['postgres://db', { dbHost: 'db' }],
    ['postgres://db:5433?', { dbHost: 'db', dbPort: '5433' }],
    ['postgres://ann@db/', { dbUser: 'ann', dbHost: 'db' }],
    ['postgres://ann:pw@/texts', { dbUser: 'ann', dbPassword: 'pw', dbName: 'texts' }],
    ['postgres://[::1]:5433/texts', { dbHost: '::1', dbPort: '5433', dbName: 'texts' }],
    ['postgres://%2Frun%2Fpg/texts', { dbHost: '/run/pg', dbName: 'texts' }],
    [
      'postgres:///texts?host=/run/pg&port=5433',
      { dbHost: '/run/pg', dbPort: '5433', dbName: 'texts' },
    ],
    [
      'postgres://a%40b:p%3A%25%2f%F0%9F%94%91:+&#@db/a%20b/c',
      { dbUser: 'a@b', dbPassword: 'p:%/🔑:+&#', dbHost: 'db', dbName: 'a b/c' },
    ],
    [
      'postgres://db?user=ann&password=p%26w&dbname=texts',
      { dbHost: 'db', dbUser: 'ann', dbPassword: 'p&w', dbName: 'texts' },
    ],
    [
      'postgres://db/texts?sslmode=verify-full&sslrootcert=/etc/ca%20a.pem',
      { dbHost: 'db', dbName: 'texts', dbSslMode: 'verify-full', dbSslRootCert: '/etc/ca a.pem' },
    ],
  ])('%s', (url, parts) => {
    expect(parseDatabaseUrl(url)).toEqual(parts)
  })

  it.each([
    ['mysql://ann:Secret1@db/texts', 'must look like'],
    ['db/texts', 'must look like'],
    ['Secret1', 'must look like'],
    ['postgres:/ann:Secret1@db', 'must look like'],
    ['postgres://ann:Secret1/2@db/texts', 'must look like'],
    ['postgres://ann:Secret1?2@db/texts', 'must look like'],
    ['postgres://ann:Secret1@2@db/texts', 'must look like'],
    ['postgres://ann:1?Secret1@db/texts', 'has a parameter that it cannot take'],
    ['postgres://ann:Secret1@db:port/texts', 'must look like'],
    ['postgres://ann:Secret1@[::1/texts', 'must look like'],
    ['postgres://ann:Secret1%@db/texts', 'has a % that'],
    ['postgres://ann:Secret1%FF@db/texts', 'has a % that'],
    ['postgres://ann:Secret1%00@db/texts', 'must not have %00'],
    [
      'postgres://ann:Secret1@db/texts?pool=5',
      "has a parameter 'pool'; it takes host, port, user, password, dbname, sslmode, sslrootcert",
    ],
    ['postgres://ann:Secret1@db/texts?SSLMODE=require', 'has a parameter that it cannot take'],
  ])('is refused without the password: %s', (url, what) => {
    const parse = () => parseDatabaseUrl(url)
    expect(parse).toThrow(StartupError)
    expect(parse).toThrow(`SERVICE_DATABASE_URL ${what}`)
    expect(parse).not.toThrow('Secret1')
  })
})
