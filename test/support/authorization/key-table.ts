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

interface Rule {
  /** The keys that may; others get a 403. */
  readonly keys: readonly KeyKind[]
  readonly why: string
}

const rules: Readonly<Record<string, Rule>> = {
  admin: { keys: [], why: 'for the administrator alone' },
  account: {
    keys: [],
    why: 'the account: who has found a named key must not get a better or a lasting one',
  },
  open: { keys: keyKinds, why: 'for everybody' },
  beside: {
    keys: ['write', 'read'],
    why: 'is in no project, so that a key for some projects does not reach it',
  },
  provider: {
    keys: [],
    why: "says to whom a provider's key goes, or who may use it: that takes the first key",
  },
  own: { keys: keyKinds, why: 'is about the key itself, or bounded to what it reaches' },
  projects: {
    keys: ['write'],
    why: 'makes, changes, shares or moves a whole project: a key that writes, for all projects',
  },
  reads: {
    keys: ['write', 'read', 'write-in', 'read-in'],
    why: 'what is in a project: any key that reaches it',
  },
  writes: {
    keys: ['write', 'write-in'],
    why: 'what is in a project: any key that writes and reaches it',
  },
}

export interface KeyRow {
  readonly operation: string
  readonly scene: string
  readonly expected: ReadonlyMap<KeyKind, number>
  readonly why: string
}

/*
 * By which rule every operation answers to these keys, and what those get that may; the owner's first key is allowed
 * all of them but the administrator's. Scenes are those of table.ts; with `model` the request names an instance that
 * exists.
 */
const table = `
rule      scene          status  operations

admin     -              -       listUsers createUser checkSanity backUpDatabase getMetrics createApiStandard
admin     there          -       putUser putApiStandard patchApiStandard deleteApiStandard
account   there          -       getUser patchUser deleteUser rotateUserKey listNamedKeys createNamedKey getNamedKey
account   there          -       patchNamedKey rotateNamedKey deleteNamedKey
account   missing        -       getNamedKey
open      -              200     listApiStandards getSimilarityResponseSchema getLiveness getReadiness getLimits
open      there          200     getApiStandard

beside    there          200     listDefinitions getDefinition listInstances getInstance
beside    _system        200     listDefinitions listInstances
beside    missing        404     getDefinition getInstance
provider  there          -       createDefinition putDefinition patchDefinition deleteDefinition
provider  there          -       putInstance patchInstance deleteInstance testInstance
provider  there          -       shareInstance unshareInstance listInstanceShares
provider  missing        -       importProject

own       -              200     getCaller listVisibleProjects
own       mine           200     listVisibleProjects
own       there          200     listProjects
projects  there          201     createProject
projects  both           201     shareProject
projects  both           200     putProject patchProject deleteProject unshareProject listProjectShares transferProject
projects  both           200     deleteAllEmbeddings
projects  missing        201     putProject
projects  missing+model  200     importProject
projects  both+file      200     exportProject

reads     both           200     getProject exportProject countEmbeddings getProjectStatistics getProjectFields
reads     both           200     getProjectMap listEmbeddings getEmbedding getAround findMissingEmbeddings
reads     both           200     searchByTextId searchByVector searchProjects searchBatch listAllNeighbours
reads     both+one       200     listEmbeddings searchByTextIdParameter
reads     both+no-text   404     getEmbedding getAround
beside    missing        404     getProject
writes    both           201     uploadEmbeddings
writes    both           200     deleteEmbedding deleteEmbeddings
writes    both+one       200     deleteAllEmbeddings
projects  missing        404     uploadEmbeddings
`

export const keyRows: readonly KeyRow[] = table
  .split('\n')
  .filter((line) => line !== '')
  .slice(1)
  .flatMap(parse)

function parse(line: string): KeyRow[] {
  const [name = '', scene = '', status, ...operations] = line.split(/ +/)
  const rule = rules[name]
  if (rule === undefined) throw new Error(`no known rule: ${line}`)
  const { keys, why } = rule
  const expected = new Map(
    keyKinds.map((kind) => [kind, keys.includes(kind) ? Number(status) : 403]),
  )
  const scenes = scene.startsWith('both')
    ? ['private', 'public'].map((kind) => scene.replace('both', kind))
    : [scene]
  return operations.flatMap((operation) =>
    scenes.map((each) => ({ operation, scene: each, expected, why })),
  )
}
