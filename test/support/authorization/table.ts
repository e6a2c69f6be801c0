/** Who asks. The last five are users with a valid key, and the administrator. */
export const callers = [
  'nobody', // sends no Authorization
  'malformed', // sends one that is not `Bearer <key>`
  'unknown', // sends a key that nobody has
  'stranger', // has no share of anything
  'neighbour', // has shares of another project and another instance of the owner
  'reader',
  'editor',
  'owner',
  'admin',
] as const
export type Caller = (typeof callers)[number]

export interface Row {
  readonly operation: string
  readonly scene: string
  /** The status that each caller gets; who is not asked is absent. */
  readonly expected: Readonly<Partial<Record<Caller, number>>>
}

/*
 * What every caller gets for every operation: a line of operations, and what all of these answer below it, in
 * scenes. The scene says what the request names:
 *
 *   there       a thing of the owner's that exists        missing     one that does not
 *   private     a project that is not public              public      one that everybody may read
 *   both        the row holds for private and for public projects
 *   one         the embedding is named by ?text_id=       no-text     the embedding does not exist
 *   own-share   the caller's own share                    no-share    the share of a user without one
 *   mine        only what is the caller's own             file        the whole project as a file
 *   _system     things of the user _system                -           the operation names nothing
 *
 * A dot stands for "not asked".
 */
const table = `
  scene                 nobody malformed unknown stranger neighbour reader editor owner admin
listUsers checkSanity getMetrics
  -                        401       401     401      403       403    403    403   403   200
backUpDatabase
  -                        401       401     401      403       403    403    403   403     .
createUser createApiStandard
  -                        401       401     401      403       403    403    403   403   201
listApiStandards getSimilarityResponseSchema getLiveness getReadiness getLimits
  -                        200       200     200      200       200    200    200   200   200
getCaller
  -                        401       401     401      200       200    200    200   200   200

getUser
  there                    401       401     401      403       403    403    403   200   200
  missing                  401       401     401      403       403    403    403   403   404
putUser
  there                    401       401     401      403       403    403    403   403   200
  missing                  401       401     401      403       403    403    403   403   201
  _system                  401       401     401      403       403    403    403   403   403
patchUser deleteUser rotateUserKey
  there                    401       401     401      403       403    403    403   200   200
  missing                  401       401     401      403       403    403    403   403   404
  _system                  401       401     401      403       403    403    403   403   403
listNamedKeys
  there                    401       401     401      403       403    403    403   200   200
  missing                  401       401     401      403       403    403    403   403   404
  _system                  401       401     401      403       403    403    403   403   200
createNamedKey createProject
  there                    401       401     401      403       403    403    403   201   201
  missing                  401       401     401      403       403    403    403   403   404
  _system                  401       401     401      403       403    403    403   403   403
getNamedKey patchNamedKey rotateNamedKey deleteNamedKey
  there                    401       401     401      403       403    403    403   200   200
  missing                  401       401     401      403       403    403    403   404   404
  _system                  401       401     401      403       403    403    403   403   404

getApiStandard
  there                    200       200     200      200       200    200    200   200   200
  missing                  404       404     404      404       404    404    404   404   404
putApiStandard
  there                    401       401     401      403       403    403    403   403   200
  missing                  401       401     401      403       403    403    403   403   201
patchApiStandard deleteApiStandard
  there                    401       401     401      403       403    403    403   403   200
  missing                  401       401     401      403       403    403    403   403   404
listDefinitions listInstances
  there                    401       401     401      403       403    403    403   200   200
  missing                  401       401     401      403       403    403    403   403   404
  _system                  401       401     401      200       200    200    200   200   200
createDefinition
  there                    401       401     401      403       403    403    403   201   201
  missing                  401       401     401      403       403    403    403   403   404
  _system                  401       401     401      403       403    403    403   403     .
getDefinition
  there                    401       401     401      403       403    403    403   200   200
  missing                  401       401     401      403       403    403    403   404   404
  _system                  401       401     401      200       200    200    200   200   200
  _system+missing          401       401     401      404       404    404    404   404   404
putDefinition
  there                    401       401     401      403       403    403    403   200   200
  missing                  401       401     401      403       403    403    403   201   201
  _system                  401       401     401      403       403    403    403   403     .
  _system+missing          401       401     401      403       403    403    403   403     .
patchDefinition deleteDefinition
  there                    401       401     401      403       403    403    403   200   200
  missing                  401       401     401      403       403    403    403   404   404
  _system                  401       401     401      403       403    403    403   403     .

putInstance
  there                    401       401     401      403       403    403    403   200   200
  missing                  401       401     401      403       403    403    403   201   201
  _system                  401       401     401      403       403    403    403   403   403
getInstance
  there                    401       401     401      403       403    200    200   200   200
patchInstance deleteInstance unshareInstance listInstanceShares
  there                    401       401     401      403       403    403    403   200   200
testInstance
  there                    401       401     401      403       403    403    403   400   400
shareInstance
  there                    401       401     401      403       403    403    403   201   201
getInstance patchInstance deleteInstance testInstance shareInstance unshareInstance listInstanceShares
  missing                  401       401     401      403       404    404    404   404   404
unshareInstance
  own-share                  .         .       .      403       403    200    200   404     .
  no-share                 401       401     401      403       403    403    403   404   404

listVisibleProjects
  -                        200       401     401      200       200    200    200   200   200
  mine                     401       401     401      200       200    200    200   200   200
listProjects
  both                     401       401     401      403       200    200    200   200   200
  missing                  401       401     401      403       403    403    403   403   404
putProject
  both                     401       401     401      403       403    403    403   200   200
  missing                  401       401     401      403       403    403    403   201   201
  _system                  401       401     401      403       403    403    403   403   403
importProject
  both                     401       401     401      403       403    403    403   409   409
  missing                  401       401     401      403       403    403    403   200   200
patchProject deleteProject unshareProject listProjectShares transferProject deleteAllEmbeddings
  both                     401       401     401      403       403    403    403   200   200
  missing                  401       401     401      403       404    404    404   404   404
shareProject
  both                     401       401     401      403       403    403    403   201   201
  missing                  401       401     401      403       404    404    404   404   404
unshareProject
  both+own-share             .         .       .      403       403    200    200   404     .
  both+no-share            401       401     401      403       403    403    403   404   404
exportProject
  both+file                401       401     401      403       403    403    403   200   200

getProject exportProject countEmbeddings getProjectStatistics getProjectFields getProjectMap listEmbeddings
getEmbedding getAround findMissingEmbeddings searchByTextId searchByVector searchProjects searchBatch
listAllNeighbours
  private                  401       401     401      403       403    200    200   200   200
  public                   200       401     401      200       200    200    200   200   200
  missing                  401       401     401      403       404    404    404   404   404
getEmbedding getAround searchByTextId
  private+no-text          401       401     401      403       403    404    404   404   404
  public+no-text           404       401     401      404       404    404    404   404   404
listEmbeddings searchByTextIdParameter
  private+one              401       401     401      403       403    200    200   200   200
  public+one               200       401     401      200       200    200    200   200   200
  private+one+no-text      401       401     401      403       403    404    404   404   404
  public+one+no-text       404       401     401      404       404    404    404   404   404
searchByTextIdParameter
  missing+one              401       401     401      403       404    404    404   404   404
uploadEmbeddings
  both                     401       401     401      403       403    403    201   201   201
  missing                  401       401     401      403       404    404    404   404   404
deleteEmbedding deleteEmbeddings
  both                     401       401     401      403       403    403    200   200   200
  missing                  401       401     401      403       404    404    404   404   404
deleteEmbedding
  both+no-text             401       401     401      403       403    403    404   404   404
deleteAllEmbeddings
  both+one                 401       401     401      403       403    403    200   200   200
  both+one+no-text         401       401     401      403       403    403    404   404   404
`

/** Lines of operations, and those of scenes that are theirs. */
const section = /((?:^\w.*\n)+)((?:^ .*\n)+)/gm

export const rows: readonly Row[] = [...table.matchAll(section)].flatMap(
  ([, operations = '', lines = '']) =>
    operations
      .trim()
      .split(/\s/)
      .flatMap((operation) =>
        lines
          .trim()
          .split(/\n +/)
          .flatMap((line) => parse(operation, line)),
      ),
)

function parse(operation: string, line: string): Row[] {
  const [scene = '', ...statuses] = line.split(/ +/)
  if (statuses.length !== callers.length) throw new Error(`not a status for each caller: ${line}`)
  const asked = callers.flatMap((caller, column) =>
    statuses[column] === '.' ? [] : [[caller, Number(statuses[column])]],
  )
  const expected: Row['expected'] = Object.fromEntries(asked)
  const scenes = /^both/.test(scene)
    ? ['private', 'public'].map((kind) => scene.replace('both', kind))
    : [scene]
  return scenes.map((each) => ({ operation, scene: each, expected }))
}
