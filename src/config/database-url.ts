import { StartupError } from '../errors.ts'

/** The settings that a URL can give, by the parameters after its `?`, which are named as in libpq. */
const names = {
  host: 'dbHost',
  port: 'dbPort',
  user: 'dbUser',
  password: 'dbPassword',
  dbname: 'dbName',
  sslmode: 'dbSslMode',
  sslrootcert: 'dbSslRootCert',
} as const
const parameters = new Map(Object.entries(names))

type UrlParts = { [Name in (typeof names)[keyof typeof names]]?: string }

const pattern = new RegExp(
  [
    '^postgres(?:ql)?://',
    '(?:(?<user>[^:@/?]*)(?::(?<password>[^@/?]*))?@)?',
    '(?:\\[(?<address>[^\\]@/?]*)\\]|(?<name>[^:@/?\\[\\]]*))(?::(?<port>\\d*))?',
    '(?:/(?<database>[^?]*))?',
    '(?:\\?(?<query>.*))?$',
  ].join(''),
)

const wrong = (what: string) => new StartupError(`SERVICE_DATABASE_URL ${what}`)

/**
 * Reads `postgres://user:password@host:port/name?sslmode=…` as libpq does. Absent and empty parts
 * are not given.
 * @throws StartupError that never repeats the URL, which holds a password
 */
export function parseDatabaseUrl(url: string): UrlParts {
  const groups = pattern.exec(url)?.groups
  if (groups === undefined) {
    const form = 'postgres://user:password@host:port/name'
    throw wrong(`must look like ${form}, with %40 for @, %2F for / and %3F for ? in its parts`)
  }
  const { user, password, address, name, port, database, query } = groups
  const parts: UrlParts = {}
  const give = (setting: keyof UrlParts, text: string | undefined) => {
    if (text) parts[setting] = decoded(text)
  }
  give('dbHost', address ?? name)
  give('dbPort', port)
  give('dbUser', user)
  give('dbPassword', password)
  give('dbName', database)
  for (const pair of query?.split('&') ?? []) {
    if (pair === '') continue
    const [key = '', ...value] = pair.split('=')
    const setting = parameters.get(key)
    if (setting === undefined) throw unknownParameter(key)
    give(setting, value.join('='))
  }
  return parts
}

function decoded(text: string): string {
  let plain: string
  try {
    plain = decodeURIComponent(text)
  } catch {
    throw wrong(
      'has a % that is not followed by two hexadecimal digits of UTF-8; a % itself is %25',
    )
  }
  if (plain.includes('\0')) throw wrong('must not have %00')
  return plain
}

/** The name is shown only if it looks like one: a stray `?` or `&` may belong to the password. */
function unknownParameter(key: string): StartupError {
  const name = /^[a-z_]{1,40}$/.test(key) ? `'${key}'` : 'that it cannot take'
  return wrong(`has a parameter ${name}; it takes ${[...parameters.keys()].join(', ')}`)
}
