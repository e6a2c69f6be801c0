import {
  badRequest,
  changedMeanwhile,
  conflict,
  notFound,
  ServiceError,
  unavailable,
  unknownStandard,
} from '../errors.ts'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** An error and its causes: those of either engine are below Drizzle's wrapper. */
function chainOf(error: unknown): Record<string, unknown>[] {
  const chain = []
  for (let at = error; isRecord(at); at = at['cause']) chain.push(at)
  return chain
}

/** The SQLSTATE or transport code of an error of either engine. */
export const errorCode = (error: unknown): string | undefined =>
  chainOf(error)
    .map(({ code }) => code)
    .find((code) => typeof code === 'string')

/** SQLSTATEs of unique constraints, foreign keys and (since PostgreSQL 18) ON DELETE RESTRICT. */
const violations = ['23505', '23503', '23001']

/** SQLSTATEs that mean "run the transaction again": serialization failure and deadlock. */
export const isRetryable = (error: unknown) => ['40001', '40P01'].includes(errorCode(error) ?? '')

const transportCodes =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_AGAIN|CONNECT|CONNECTION_|UNSAFE_TRANSACTION)/

/** Whether a connection was closed, also by a server that is going down; not a timeout. */
export function isConnectionLost(error: unknown): boolean {
  const code = errorCode(error) ?? ''
  return /^57P0[12]$/.test(code) || (transportCodes.test(code) && !code.endsWith('TIMEDOUT'))
}

/** SQLSTATE of an invalid logarithm, which ends a slow filter: see `isInTime` in src/filters/condition.ts. */
const filterOutOfTime = '2201E'

/**
 * Whether a statement was ended because it took too long, by PostgreSQL's timeout or by a filter's.
 */
export const tookTooLong = (error: unknown) =>
  ['57014', filterOutOfTime].includes(errorCode(error) ?? '')

/** @returns undefined if what was asked took too long, as many with large metadata may */
export const unlessTooSlow = <Value>(asked: Promise<Value>): Promise<Value | undefined> =>
  asked.catch((error) => {
    if (!tookTooLong(error)) throw error
    return undefined
  })

/** Whether a value that a statement gives is longer than PostgreSQL or a string here may be. */
export const isTooLong = (error: unknown) =>
  error instanceof RangeError || ['54000', 'ERR_STRING_TOO_LONG'].includes(errorCode(error) ?? '')

/** On the embedded database, whose statements keep others waiting. */
export const filterTakesTooLong = (cause?: unknown) =>
  unavailable('The filter takes too long here; ask for less, or use PostgreSQL', cause)
/** The same of a search without a filter, which compares vectors that are not in memory. */
export const searchTakesTooLong = () =>
  unavailable(
    'The search takes too long here; give vectors more memory (SERVICE_VECTORMEMORY), or use PostgreSQL',
  )

/**
 * SQLSTATEs of a database that cannot serve now: no connection, wrong password, gone, read-only,
 * conflict of transactions, out of space or connections, locked, shutting down, failed; or a Citus
 * shard that moved while a statement was on its way to it.
 */
const notNow = /^(08|25006|28|3D|40|53|55|57|58|CIINF|XX)/

/** SQLSTATEs of damaged pages of a table and of an index, which PostgreSQL does not answer from. */
const damaged = ['XX001', 'XX002']

/**
 * Says what a database error means for a client; undefined if it is a defect of the service. The
 * original message is never used, because it holds SQL and parameters.
 */
export function explainDatabaseError(error: unknown): ServiceError | undefined {
  // An engine that knows what happened throws a ServiceError itself, below Drizzle's wrapper.
  if (isRecord(error) && error['cause'] instanceof ServiceError) return error['cause']
  const code = errorCode(error)
  if (code === undefined) return undefined
  const violated = chainOf(error).find((each) => violations.includes(`${each['code']}`))
  if (violated !== undefined) {
    const { code: state, constraint_name: constraint, detail: values } = violated
    return explainViolation({
      code: `${state}`,
      constraint: `${constraint ?? ''}`,
      detail: `${values ?? ''}`,
    })
  }
  if (code === filterOutOfTime) return filterTakesTooLong(error)
  if (/^(22|54)/.test(code)) {
    const because = { cause: error }
    return new ServiceError('bad-request', 'A value cannot be stored by the database', because)
  }
  if (code === '53100') {
    return unavailable('The disk of the database is full; try again when there is room', error)
  }
  if (damaged.includes(code)) {
    const detail = 'A file of the database is damaged where this was to be read; the log names it'
    return new ServiceError('unavailable', detail, { cause: error, retryAfter: 60 })
  }
  // The code of a refusal to connect varies: ENOENT for a missing Unix socket.
  const isUnconnected = chainOf(error).some(({ syscall }) => syscall === 'connect')
  if (notNow.test(code) || transportCodes.test(code) || isUnconnected) {
    const detail = 'The database is temporarily unavailable; try again'
    return unavailable(detail, error)
  }
  return undefined
}

/** PostgreSQL's own message, below Drizzle's wrapper, which holds the whole statement. */
export function rootMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : rootMessage(error.cause)
}

/** What PostgreSQL says about a violated constraint in addition to its message. */
interface Violation {
  /** SQLSTATE */
  readonly code: string
  readonly constraint: string
  /** Names the columns and their values, in the server's language. */
  readonly detail: string
}

const gone = (what: string) => `${what} not found: it was deleted by another request`

const noProject = () => notFound(gone('Project'))

/** The answers if another request has deleted what a request refers to, by the table it was in. */
const missing: Record<string, (value: string) => ServiceError> = {
  users: () => notFound(gone('User')),
  user_keys: () => notFound(gone('Key')),
  projects: noProject,
  collections: noProject,
  instances: () => notFound(gone('LLM service instance')),
  definitions: () => badRequest(`definition_handle: ${gone('LLM service definition')}`),
  api_standards: unknownStandard,
}
/** The only foreign key on instances that a field of a body fills. */
const instanceOfProject = 'projects_instance_id_instances_instance_id_fk'

/** Things that can exist already. The last column of a constraint is the name that requests use. */
const taken: Record<string, string> = {
  users_user_handle_unique: 'User',
  api_standards_pkey: 'API standard',
  definitions_owner_handle: 'LLM service definition',
  instances_owner_handle: 'LLM service instance',
  user_keys_user_handle: 'Key',
  projects_owner_handle: 'Project',
  embeddings_collection_id_text_id_pk: 'Embedding',
}

/** The one column that others refer to by its value, and that cannot be deleted while they do. */
const referenced = 'api_standard_handle'

/** Says what a violated constraint means for a client, in the words of the earlier check. */
export function explainViolation({ code, constraint, detail }: Violation): ServiceError {
  const { columns = '', values = '' } =
    /\((?<columns>[\w, ]+)\)=\((?<values>[^()]*)\)/.exec(detail)?.groups ?? {}
  const value = values.split(', ').at(-1) ?? ''
  if (code === '23505') {
    const thing = taken[constraint]
    if (thing !== undefined) return conflict(`${thing} '${value}' already exists`)
  } else if (code === '23001' || columns === referenced) {
    return conflict(
      'Cannot delete API standard: referenced by LLM service instances or definitions',
    )
  } else {
    if (constraint === instanceOfProject) {
      return badRequest(`instance_handle: ${gone('LLM service instance')}`)
    }
    // Drizzle names a foreign key by its table and column, and by those that it refers to.
    const table =
      /.*_(users|user_keys|projects|collections|instances|definitions|api_standards)_\w+_fk$/
    const explain = missing[table.exec(constraint)?.[1] ?? '']
    if (explain !== undefined) return explain(value)
  }
  return changedMeanwhile()
}
