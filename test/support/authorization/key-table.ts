/** Named keys of the owner of a world: what each is good for, and which projects it is limited to. */
export const keyKinds = [
  'write', // to everything
  'read',
  'write-in', // to the project that the request names
  'read-in',
  'write-out', // to another project of the owner
  'read-out',
  'write-gone', // to a project that is deleted by now
] as const
export type KeyKind = (typeof keyKinds)[number]

/** Why a row is as it is. */
const reasons = {
  admin: 'for the administrator alone',
  account: 'the account: who has found a named key must not get a better or a lasting one',
  open: 'for everybody',
  beside: 'is in no project, so that a key for some projects does not reach it',
  provider: "says to whom a provider's key goes, or who may use it: that takes the first key",
  own: 'is about the key itself, or bounded to what it reaches',
  projects: 'makes, changes, shares or moves a whole project: a key that writes, for all projects',
  reads: 'what is in a project: any key that reaches it',
  writes: 'what is in a project: any key that writes and reaches it',
} as const
type Reason = keyof typeof reasons

const isReason = (word: string): word is Reason => Object.hasOwn(reasons, word)

export interface KeyRow {
  readonly operation: string
  readonly scene: string
  readonly expected: ReadonlyMap<KeyKind, number>
  readonly why: string
}

/*
 * What every operation answers to each of these keys; the owner's first key is allowed all of them but the
 * administrator's. Scenes are those of table.ts; with `model` the request names an instance that exists.
 */
const table = `
operation                scene               write read write-in read-in write-out read-out write-gone why

listUsers                -                   403   403  403      403     403       403      403        admin
createUser               -                   403   403  403      403     403       403      403        admin
getUser                  there               403   403  403      403     403       403      403        account
putUser                  there               403   403  403      403     403       403      403        admin
patchUser                there               403   403  403      403     403       403      403        account
deleteUser               there               403   403  403      403     403       403      403        account
rotateUserKey            there               403   403  403      403     403       403      403        account
listNamedKeys            there               403   403  403      403     403       403      403        account
createNamedKey           there               403   403  403      403     403       403      403        account
getNamedKey              there               403   403  403      403     403       403      403        account
getNamedKey              missing             403   403  403      403     403       403      403        account
patchNamedKey            there               403   403  403      403     403       403      403        account
rotateNamedKey           there               403   403  403      403     403       403      403        account
deleteNamedKey           there               403   403  403      403     403       403      403        account
checkSanity              -                   403   403  403      403     403       403      403        admin
backUpDatabase           -                   403   403  403      403     403       403      403        admin
getMetrics               -                   403   403  403      403     403       403      403        admin

listApiStandards         -                   200   200  200      200     200       200      200        open
getApiStandard           there               200   200  200      200     200       200      200        open
createApiStandard        -                   403   403  403      403     403       403      403        admin
putApiStandard           there               403   403  403      403     403       403      403        admin
patchApiStandard         there               403   403  403      403     403       403      403        admin
deleteApiStandard        there               403   403  403      403     403       403      403        admin
getSimilarityResponseSchema -                   200   200  200      200     200       200      200        open
getLiveness              -                   200   200  200      200     200       200      200        open
getReadiness             -                   200   200  200      200     200       200      200        open
getLimits                -                   200   200  200      200     200       200      200        open

listDefinitions          there               200   200  403      403     403       403      403        beside
listDefinitions          _system             200   200  403      403     403       403      403        beside
getDefinition            there               200   200  403      403     403       403      403        beside
getDefinition            missing             404   404  403      403     403       403      403        beside
createDefinition         there               403   403  403      403     403       403      403        provider
putDefinition            there               403   403  403      403     403       403      403        provider
patchDefinition          there               403   403  403      403     403       403      403        provider
deleteDefinition         there               403   403  403      403     403       403      403        provider

listInstances            there               200   200  403      403     403       403      403        beside
listInstances            _system             200   200  403      403     403       403      403        beside
getInstance              there               200   200  403      403     403       403      403        beside
getInstance              missing             404   404  403      403     403       403      403        beside
putInstance              there               403   403  403      403     403       403      403        provider
patchInstance            there               403   403  403      403     403       403      403        provider
deleteInstance           there               403   403  403      403     403       403      403        provider
testInstance             there               403   403  403      403     403       403      403        provider
shareInstance            there               403   403  403      403     403       403      403        provider
unshareInstance          there               403   403  403      403     403       403      403        provider
listInstanceShares       there               403   403  403      403     403       403      403        provider

getCaller                -                   200   200  200      200     200       200      200        own
listVisibleProjects      -                   200   200  200      200     200       200      200        own
listVisibleProjects      mine                200   200  200      200     200       200      200        own
listProjects             there               200   200  200      200     200       200      200        own
createProject            there               201   403  403      403     403       403      403        projects
putProject               both                200   403  403      403     403       403      403        projects
putProject               missing             201   403  403      403     403       403      403        projects
importProject            missing             403   403  403      403     403       403      403        provider
importProject            missing+model       200   403  403      403     403       403      403        projects
patchProject             both                200   403  403      403     403       403      403        projects
deleteProject            both                200   403  403      403     403       403      403        projects
shareProject             both                201   403  403      403     403       403      403        projects
unshareProject           both                200   403  403      403     403       403      403        projects
listProjectShares        both                200   403  403      403     403       403      403        projects
transferProject          both                200   403  403      403     403       403      403        projects
exportProject            both+file           200   403  403      403     403       403      403        projects

getProject               both                200   200  200      200     403       403      403        reads
getProject               missing             404   404  403      403     403       403      403        reads
exportProject            both                200   200  200      200     403       403      403        reads
countEmbeddings          both                200   200  200      200     403       403      403        reads
getProjectStatistics     both                200   200  200      200     403       403      403        reads
getProjectFields         both                200   200  200      200     403       403      403        reads
listEmbeddings           both                200   200  200      200     403       403      403        reads
listEmbeddings           both+one            200   200  200      200     403       403      403        reads
getEmbedding             both                200   200  200      200     403       403      403        reads
getEmbedding             both+no-text        404   404  404      404     403       403      403        reads
getAround                both                200   200  200      200     403       403      403        reads
getAround                both+no-text        404   404  404      404     403       403      403        reads
findMissingEmbeddings    both                200   200  200      200     403       403      403        reads
searchByTextId           both                200   200  200      200     403       403      403        reads
searchByTextIdParameter  both+one            200   200  200      200     403       403      403        reads
searchByVector           both                200   200  200      200     403       403      403        reads
searchProjects           both                200   200  200      200     403       403      403        reads
searchBatch              both                200   200  200      200     403       403      403        reads
listAllNeighbours        both                200   200  200      200     403       403      403        reads
getProjectMap            both                200   200  200      200     403       403      403        reads

uploadEmbeddings         both                201   403  201      403     403       403      403        writes
uploadEmbeddings         missing             404   403  403      403     403       403      403        writes
deleteEmbedding          both                200   403  200      403     403       403      403        writes
deleteEmbeddings         both                200   403  200      403     403       403      403        writes
deleteAllEmbeddings      both                200   403  403      403     403       403      403        projects
deleteAllEmbeddings      both+one            200   403  200      403     403       403      403        writes
`

export const keyRows: readonly KeyRow[] = table
  .split('\n')
  .filter((line) => line !== '')
  .slice(1)
  .flatMap(parse)

function parse(line: string): KeyRow[] {
  const [operation = '', scene = '', ...rest] = line.split(/ +/)
  const why = rest.pop() ?? ''
  if (!isReason(why)) throw new Error(`no known reason: ${line}`)
  if (rest.length !== keyKinds.length) throw new Error(`not a status for each key: ${line}`)
  const expected = new Map(keyKinds.map((kind, column) => [kind, Number(rest[column])]))
  const scenes = /^both/.test(scene)
    ? ['private', 'public'].map((kind) => scene.replace('both', kind))
    : [scene]
  return scenes.map((each) => ({ operation, scene: each, expected, why: reasons[why] }))
}
