import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { settings } from '../../src/config/settings.ts'
import { StartupError } from '../../src/errors.ts'

const fromEnv = (env: Record<string, string>) => readConfig({}, env, {})

describe('the configuration', () => {
  it('has the defaults of the specification', () => {
    expect(readConfig({}, {}, {})).toEqual({
      debug: true,
      host: 'localhost',
      port: 8880,
      workers: 1,
      database: 'embedded',
      dataDir: './data',
      durability: 'full',
      dbHost: 'localhost',
      dbPort: 5432,
      dbUser: 'postgres',
      dbPassword: 'password',
      dbName: 'postgres',
      dbSslMode: 'prefer',
      dbConnections: 32,
      maxBody: 67_108_864,
      trustProxy: false,
      slowRequest: 1_000,
      rateLimit: 0,
      publicMetrics: false,
      mcp: true,
      embeddingHosts: '',
      exactBudget: 5_000_000,
      maxIndexes: 200,
      indexDelay: 30,
      maxScan: 10_000_000_000,
    })
  })

  it('has the names of the specification', () => {
    const named = Object.values(settings).map(({ env, flag, alias }) => [env, flag, alias])
    expect(named).toEqual(
      expect.arrayContaining([
        ['SERVICE_DEBUG', 'debug', 'd'],
        ['SERVICE_HOST', 'host', undefined],
        ['SERVICE_PORT', 'port', 'p'],
        ['SERVICE_DBHOST', 'db-host', undefined],
        ['SERVICE_DBPORT', 'db-port', undefined],
        ['SERVICE_DBUSER', 'db-user', undefined],
        ['SERVICE_DBPASSWORD', 'db-password', undefined],
        ['SERVICE_DBNAME', 'db-name', undefined],
        ['SERVICE_ADMINKEY', 'admin-key', undefined],
        ['ENCRYPTION_KEY', undefined, undefined],
        ['SERVICE_DATABASE', 'database', undefined],
        ['SERVICE_DATADIR', 'data-dir', undefined],
      ]),
    )
  })

  it('passes over what Kubernetes says of a service that is called so', () => {
    expect(fromEnv({ SERVICE_PORT: 'tcp://10.0.0.1:80' }).port).toBe(8880)
    const dotenv = { SERVICE_PORT: '4000' }
    expect(readConfig({}, { SERVICE_PORT: 'tcp://10.0.0.1:80' }, dotenv).port).toBe(4000)
    expect(() => fromEnv({ SERVICE_PORT: 'http://10.0.0.1:80' })).toThrow('SERVICE_PORT')
  })

  it('passes an empty setting over, at every place', () => {
    const dotenv = { SERVICE_PORT: '4000' }
    expect(readConfig({ port: '' }, { SERVICE_PORT: '' }, dotenv).port).toBe(4000)
    expect(fromEnv({ SERVICE_PORT: '', SERVICE_ADMINKEY: '' })).toMatchObject({ port: 8880 })
    expect(fromEnv({ SERVICE_DBHOST: '' }).database).toBe('embedded')
  })

  it.each([
    ...['SERVICE_DBHOST', 'SERVICE_DBPORT', 'SERVICE_DBUSER', 'SERVICE_DBPASSWORD'],
    ...['SERVICE_DBNAME', 'SERVICE_DBSSLMODE', 'SERVICE_DBCONNECTIONS', 'SERVICE_DATABASE_URL'],
  ])('means PostgreSQL when %s is given, unless told otherwise', (name) => {
    const values: Record<string, string> = {
      SERVICE_DBPORT: '5433',
      SERVICE_DBSSLMODE: 'require',
      SERVICE_DBCONNECTIONS: '6',
      SERVICE_DATABASE_URL: 'postgres://',
    }
    const value = values[name] ?? 'x'
    expect(fromEnv({ [name]: value }).database).toBe('postgres')
    expect(readConfig({}, {}, { [name]: value }).database).toBe('postgres')
    expect(fromEnv({ [name]: value, SERVICE_DATABASE: 'embedded' }).database).toBe('embedded')
  })

  it('means the embedded database or PostgreSQL when SERVICE_DATABASE says so', () => {
    expect(fromEnv({ SERVICE_DATABASE: 'postgres' }).database).toBe('postgres')
    const flags = { database: 'embedded' }
    expect(readConfig(flags, { SERVICE_DATABASE: 'postgres' }, {}).database).toBe('embedded')
  })

  it('takes from a URL what is not given by itself, wherever that is', () => {
    const url = 'postgres://ann:pw@db:5433/texts?sslmode=require'
    const parts = {
      database: 'postgres',
      dbHost: 'db',
      dbPort: 5433,
      dbUser: 'ann',
      dbPassword: 'pw',
      dbName: 'texts',
      dbSslMode: 'require',
    }
    expect(fromEnv({ SERVICE_DATABASE_URL: url })).toMatchObject(parts)
    const more = { SERVICE_DBNAME: 'others', SERVICE_DBSSLMODE: 'disable' }
    expect(readConfig({ 'database-url': url }, {}, more)).toMatchObject({
      ...parts,
      dbName: 'others',
      dbSslMode: 'disable',
    })
    expect(fromEnv({ SERVICE_DATABASE_URL: 'postgres://db' })).toMatchObject({
      dbHost: 'db',
      dbPort: 5432,
      dbUser: 'postgres',
    })
  })

  it('takes a secret from a file, of the place that counts', () => {
    const file = fileURLToPath(import.meta.resolve('../support/servers/certificates/make.sh'))
    const files = { SERVICE_ADMINKEY_FILE: file }
    expect(fromEnv({ SERVICE_DBPASSWORD_FILE: file }).dbPassword).toMatch(/^#!\/bin\/sh\n.*[^\n]$/s)
    expect(fromEnv({ SERVICE_DBPASSWORD_FILE: file }).database).toBe('postgres')
    expect(() => fromEnv(files)).toThrow('SERVICE_ADMINKEY must be of ASCII')
    const key = { SERVICE_ADMINKEY: 'a'.repeat(16) }
    expect(readConfig({}, key, files).adminKey).toBe('a'.repeat(16))
    expect(readConfig({ 'admin-key': 'f'.repeat(16) }, files, {}).adminKey).toBe('f'.repeat(16))
    expect(() => readConfig({}, files, key)).toThrow('SERVICE_ADMINKEY must be of ASCII')
  })

  it.each([
    ['true', true],
    ['false', false],
    ['1', true],
    ['0', false],
  ])('reads SERVICE_DEBUG=%s', (text, debug) => {
    expect(fromEnv({ SERVICE_DEBUG: text }).debug).toBe(debug)
  })
})

it('refuses a relaxed durability of PostgreSQL, and takes the usual one', () => {
  const onPostgres = { SERVICE_DBHOST: 'db' }
  expect(() => fromEnv({ ...onPostgres, SERVICE_DURABILITY: 'relaxed' })).toThrow(
    'SERVICE_DURABILITY=relaxed is for the embedded database',
  )
  expect(fromEnv({ ...onPostgres, SERVICE_DURABILITY: 'full' }).durability).toBe('full')
  expect(fromEnv({ SERVICE_DURABILITY: 'relaxed' }).durability).toBe('relaxed')
})

const complaints: [env: Record<string, string>, message: string][] = [
  [{ SERVICE_DEBUG: 'maybe' }, 'SERVICE_DEBUG must be true or false'],
  [{ SERVICE_PORT: 'http' }, 'SERVICE_PORT must be a whole number between 0 and 65535'],
  [{ SERVICE_PORT: '-1' }, 'SERVICE_PORT must be a whole number between 0 and 65535'],
  [{ SERVICE_WORKERS: 'all' }, 'SERVICE_WORKERS must be auto or a whole number between 1 and 256'],
  [{ SERVICE_DBPORT: '0' }, 'SERVICE_DBPORT must be between 1 and 65535'],
  [{ SERVICE_DATABASE: 'mysql' }, 'SERVICE_DATABASE must be postgres or embedded'],
  [
    { SERVICE_PUBLICURL: 'example.org' },
    'SERVICE_PUBLICURL must be a URL such as https://example.org/semblance',
  ],
  [
    { SERVICE_PUBLICURL: 'https://a@example.org' },
    'SERVICE_PUBLICURL must not have a name, a query or a fragment',
  ],
  [
    { SERVICE_PUBLICURL: 'https://example.org/größe' },
    'SERVICE_PUBLICURL must have a path of letters, digits and the signs - . _ ~',
  ],
  [
    { SERVICE_PUBLICURL: 'https://example.org/v1' },
    'SERVICE_PUBLICURL must have another path, since the service itself has /v1, /docs, /explore and /scripts',
  ],
  [{ SERVICE_MAXBODY: '64MB' }, 'SERVICE_MAXBODY must be a whole number between 1 and 1073741824'],
  [{ SERVICE_ADMINKEY: 'k'.repeat(15) }, 'SERVICE_ADMINKEY must have at least 16 characters'],
  [{ ENCRYPTION_KEY: 'k'.repeat(31) }, 'ENCRYPTION_KEY must have at least 32 characters'],
  [
    { SERVICE_DBSSLMODE: 'allow' },
    'SERVICE_DBSSLMODE must be disable, prefer, require, verify-ca, verify-full (allow is not supported)',
  ],
]

describe('a wrong setting', () => {
  it.each([
    ['SERVICE_DURABILITY', 'none'],
    ['SERVICE_PORT', '65536'],
    ['SERVICE_PORT', '80.5'],
    ['SERVICE_PORT', '0x50'],
    ['SERVICE_PORT', '1e3'],
    ['SERVICE_PORT', ' 80'],
    ['SERVICE_DATABASE', 'Postgres'],
    ['SERVICE_DBHOST', 'one,two'],
    ['SERVICE_DBCONNECTIONS', '5'],
    ['SERVICE_MAXBODY', '0'],
  ])('%s=%s is named, without its value', (name, value) => {
    const read = () => fromEnv({ [name]: value })
    expect(read).toThrow(StartupError)
    expect(read).toThrow(new RegExp(`^${name} must `))
    expect(read).not.toThrow(new RegExp(`${value.trim()}$`))
  })

  it.each(complaints)('is told of in so many words: %o', (env, message) => {
    expect(() => fromEnv(env)).toThrow(new StartupError(message))
  })

  it.each(['a key with spaces in it', 'schlüssel-der-verwaltung'])(
    'refuses the administrator key %s, which no header can carry',
    (adminKey) => {
      expect(() => fromEnv({ SERVICE_ADMINKEY: adminKey })).toThrow(/^SERVICE_ADMINKEY must be/)
    },
  )

  it('is not one when it is just long enough', () => {
    const [adminKey, encryptionKey] = ['a'.repeat(16), 'e'.repeat(32)]
    const config = fromEnv({ SERVICE_ADMINKEY: adminKey, ENCRYPTION_KEY: encryptionKey })
    expect(config).toMatchObject({ adminKey, encryptionKey })
  })

  it('names the URL that it is in', () => {
    const read = (url: string) => () => fromEnv({ SERVICE_DATABASE_URL: url })
    expect(read('postgres://:0')).toThrow(
      'SERVICE_DBPORT (in SERVICE_DATABASE_URL) must be between 1 and 65535',
    )
    expect(read('postgres://a,b/c')).toThrow('SERVICE_DBHOST (in SERVICE_DATABASE_URL) must be one')
    expect(read('postgres://?sslmode=no')).toThrow('SERVICE_DBSSLMODE (in SERVICE_DATABASE_URL) ')
  })

  it('is a root certificate that would not be looked at', () => {
    const rootCert = { SERVICE_DBSSLROOTCERT: '/some/file' }
    expect(() => fromEnv(rootCert)).toThrow(/^SERVICE_DBSSLROOTCERT .*SERVICE_DBSSLMODE=prefer;/)
    const disabled = { ...rootCert, SERVICE_DBSSLMODE: 'disable' }
    expect(() => fromEnv(disabled)).toThrow(/^SERVICE_DBSSLROOTCERT .*SERVICE_DBSSLMODE=disable;/)
    expect(fromEnv({ ...rootCert, SERVICE_DBSSLMODE: 'require' }).dbSslRootCert).toBe('/some/file')
  })
})
