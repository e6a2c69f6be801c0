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
 * What every caller gets for every operation. The scene says what the request names:
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
operation                scene             nobody malformed unknown stranger neighbour reader editor owner admin

listUsers                -                    401       401     401      403       403    403    403   403   200
createUser               -                    401       401     401      403       403    403    403   403   201
getUser                  there                401       401     401      403       403    403    403   200   200
getUser                  missing              401       401     401      403       403    403    403   403   404
putUser                  there                401       401     401      403       403    403    403   403   200
putUser                  missing              401       401     401      403       403    403    403   403   201
putUser                  _system              401       401     401      403       403    403    403   403   403
patchUser                there                401       401     401      403       403    403    403   200   200
patchUser                missing              401       401     401      403       403    403    403   403   404
patchUser                _system              401       401     401      403       403    403    403   403   403
deleteUser               there                401       401     401      403       403    403    403   200   200
deleteUser               missing              401       401     401      403       403    403    403   403   404
deleteUser               _system              401       401     401      403       403    403    403   403   403
rotateUserKey            there                401       401     401      403       403    403    403   200   200
rotateUserKey            missing              401       401     401      403       403    403    403   403   404
rotateUserKey            _system              401       401     401      403       403    403    403   403   403

listNamedKeys            there                401       401     401      403       403    403    403   200   200
listNamedKeys            missing              401       401     401      403       403    403    403   403   404
listNamedKeys            _system              401       401     401      403       403    403    403   403   200
createNamedKey           there                401       401     401      403       403    403    403   201   201
createNamedKey           missing              401       401     401      403       403    403    403   403   404
createNamedKey           _system              401       401     401      403       403    403    403   403   403
getNamedKey              there                401       401     401      403       403    403    403   200   200
getNamedKey              missing              401       401     401      403       403    403    403   404   404
getNamedKey              _system              401       401     401      403       403    403    403   403   404
patchNamedKey            there                401       401     401      403       403    403    403   200   200
patchNamedKey            missing              401       401     401      403       403    403    403   404   404
patchNamedKey            _system              401       401     401      403       403    403    403   403   404
rotateNamedKey           there                401       401     401      403       403    403    403   200   200
rotateNamedKey           missing              401       401     401      403       403    403    403   404   404
rotateNamedKey           _system              401       401     401      403       403    403    403   403   404
deleteNamedKey           there                401       401     401      403       403    403    403   200   200
deleteNamedKey           missing              401       401     401      403       403    403    403   404   404
deleteNamedKey           _system              401       401     401      403       403    403    403   403   404

listApiStandards         -                    200       200     200      200       200    200    200   200   200
createApiStandard        -                    401       401     401      403       403    403    403   403   201
getApiStandard           there                200       200     200      200       200    200    200   200   200
getApiStandard           missing              404       404     404      404       404    404    404   404   404
putApiStandard           there                401       401     401      403       403    403    403   403   200
putApiStandard           missing              401       401     401      403       403    403    403   403   201
patchApiStandard         there                401       401     401      403       403    403    403   403   200
patchApiStandard         missing              401       401     401      403       403    403    403   403   404
deleteApiStandard        there                401       401     401      403       403    403    403   403   200
deleteApiStandard        missing              401       401     401      403       403    403    403   403   404

listDefinitions          there                401       401     401      403       403    403    403   200   200
listDefinitions          missing              401       401     401      403       403    403    403   403   404
listDefinitions          _system              401       401     401      200       200    200    200   200   200
createDefinition         there                401       401     401      403       403    403    403   201   201
createDefinition         missing              401       401     401      403       403    403    403   403   404
createDefinition         _system              401       401     401      403       403    403    403   403     .
getDefinition            there                401       401     401      403       403    403    403   200   200
getDefinition            missing              401       401     401      403       403    403    403   404   404
getDefinition            _system              401       401     401      200       200    200    200   200   200
getDefinition            _system+missing      401       401     401      404       404    404    404   404   404
putDefinition            there                401       401     401      403       403    403    403   200   200
putDefinition            missing              401       401     401      403       403    403    403   201   201
putDefinition            _system              401       401     401      403       403    403    403   403     .
putDefinition            _system+missing      401       401     401      403       403    403    403   403     .
patchDefinition          there                401       401     401      403       403    403    403   200   200
patchDefinition          missing              401       401     401      403       403    403    403   404   404
patchDefinition          _system              401       401     401      403       403    403    403   403     .
deleteDefinition         there                401       401     401      403       403    403    403   200   200
deleteDefinition         missing              401       401     401      403       403    403    403   404   404
deleteDefinition         _system              401       401     401      403       403    403    403   403     .

listInstances            there                401       401     401      403       403    403    403   200   200
listInstances            missing              401       401     401      403       403    403    403   403   404
listInstances            _system              401       401     401      200       200    200    200   200   200
putInstance              there                401       401     401      403       403    403    403   200   200
putInstance              missing              401       401     401      403       403    403    403   201   201
putInstance              _system              401       401     401      403       403    403    403   403   403
getInstance              there                401       401     401      403       403    200    200   200   200
getInstance              missing              401       401     401      403       404    404    404   404   404
patchInstance            there                401       401     401      403       403    403    403   200   200
patchInstance            missing              401       401     401      403       404    404    404   404   404
deleteInstance           there                401       401     401      403       403    403    403   200   200
deleteInstance           missing              401       401     401      403       404    404    404   404   404
testInstance             there                401       401     401      403       403    403    403   400   400
testInstance             missing              401       401     401      403       404    404    404   404   404
shareInstance            there                401       401     401      403       403    403    403   201   201
shareInstance            missing              401       401     401      403       404    404    404   404   404
unshareInstance          there                401       401     401      403       403    403    403   200   200
unshareInstance          own-share              .         .       .      403       403    200    200   404     .
unshareInstance          no-share             401       401     401      403       403    403    403   404   404
unshareInstance          missing              401       401     401      403       404    404    404   404   404
listInstanceShares       there                401       401     401      403       403    403    403   200   200
listInstanceShares       missing              401       401     401      403       404    404    404   404   404

getCaller                -                    401       401     401      200       200    200    200   200   200
listVisibleProjects      -                    200       401     401      200       200    200    200   200   200
listVisibleProjects      mine                 401       401     401      200       200    200    200   200   200
listProjects             both                 401       401     401      403       200    200    200   200   200
listProjects             missing              401       401     401      403       403    403    403   403   404
createProject            there                401       401     401      403       403    403    403   201   201
createProject            missing              401       401     401      403       403    403    403   403   404
createProject            _system              401       401     401      403       403    403    403   403   403
getProject               private              401       401     401      403       403    200    200   200   200
getProject               public               200       401     401      200       200    200    200   200   200
getProject               missing              401       401     401      403       404    404    404   404   404
putProject               both                 401       401     401      403       403    403    403   200   200
putProject               missing              401       401     401      403       403    403    403   201   201
putProject               _system              401       401     401      403       403    403    403   403   403
patchProject             both                 401       401     401      403       403    403    403   200   200
patchProject             missing              401       401     401      403       404    404    404   404   404
deleteProject            both                 401       401     401      403       403    403    403   200   200
deleteProject            missing              401       401     401      403       404    404    404   404   404
shareProject             both                 401       401     401      403       403    403    403   201   201
shareProject             missing              401       401     401      403       404    404    404   404   404
unshareProject           both                 401       401     401      403       403    403    403   200   200
unshareProject           both+own-share         .         .       .      403       403    200    200   404     .
unshareProject           both+no-share        401       401     401      403       403    403    403   404   404
unshareProject           missing              401       401     401      403       404    404    404   404   404
listProjectShares        both                 401       401     401      403       403    403    403   200   200
listProjectShares        missing              401       401     401      403       404    404    404   404   404
transferProject          both                 401       401     401      403       403    403    403   200   200
transferProject          missing              401       401     401      403       404    404    404   404   404
exportProject            private              401       401     401      403       403    200    200   200   200
exportProject            public               200       401     401      200       200    200    200   200   200
exportProject            missing              401       401     401      403       404    404    404   404   404
exportProject            private+file         401       401     401      403       403    403    403   200   200
exportProject            public+file          401       401     401      403       403    403    403   200   200
importProject            both                 401       401     401      403       403    403    403   409   409
importProject            missing              401       401     401      403       403    403    403   200   200

listEmbeddings           private              401       401     401      403       403    200    200   200   200
listEmbeddings           public               200       401     401      200       200    200    200   200   200
listEmbeddings           missing              401       401     401      403       404    404    404   404   404
listEmbeddings           private+one          401       401     401      403       403    200    200   200   200
listEmbeddings           public+one           200       401     401      200       200    200    200   200   200
listEmbeddings           private+one+no-text  401       401     401      403       403    404    404   404   404
listEmbeddings           public+one+no-text   404       401     401      404       404    404    404   404   404
uploadEmbeddings         both                 401       401     401      403       403    403    201   201   201
uploadEmbeddings         missing              401       401     401      403       404    404    404   404   404
deleteAllEmbeddings      both                 401       401     401      403       403    403    403   200   200
deleteAllEmbeddings      missing              401       401     401      403       404    404    404   404   404
deleteAllEmbeddings      both+one             401       401     401      403       403    403    200   200   200
deleteAllEmbeddings      both+one+no-text     401       401     401      403       403    403    404   404   404
getEmbedding             private              401       401     401      403       403    200    200   200   200
getEmbedding             public               200       401     401      200       200    200    200   200   200
getEmbedding             missing              401       401     401      403       404    404    404   404   404
getEmbedding             private+no-text      401       401     401      403       403    404    404   404   404
getEmbedding             public+no-text       404       401     401      404       404    404    404   404   404
getAround                private              401       401     401      403       403    200    200   200   200
getAround                public               200       401     401      200       200    200    200   200   200
getAround                missing              401       401     401      403       404    404    404   404   404
getAround                private+no-text      401       401     401      403       403    404    404   404   404
getAround                public+no-text       404       401     401      404       404    404    404   404   404
deleteEmbedding          both                 401       401     401      403       403    403    200   200   200
deleteEmbedding          missing              401       401     401      403       404    404    404   404   404
deleteEmbedding          both+no-text         401       401     401      403       403    403    404   404   404
findMissingEmbeddings    private              401       401     401      403       403    200    200   200   200
findMissingEmbeddings    public               200       401     401      200       200    200    200   200   200
findMissingEmbeddings    missing              401       401     401      403       404    404    404   404   404
countEmbeddings          private              401       401     401      403       403    200    200   200   200
countEmbeddings          public               200       401     401      200       200    200    200   200   200
countEmbeddings          missing              401       401     401      403       404    404    404   404   404
getProjectStatistics     private              401       401     401      403       403    200    200   200   200
getProjectStatistics     public               200       401     401      200       200    200    200   200   200
getProjectStatistics     missing              401       401     401      403       404    404    404   404   404
getProjectFields         private              401       401     401      403       403    200    200   200   200
getProjectFields         public               200       401     401      200       200    200    200   200   200
getProjectFields         missing              401       401     401      403       404    404    404   404   404
deleteEmbeddings         both                 401       401     401      403       403    403    200   200   200
deleteEmbeddings         missing              401       401     401      403       404    404    404   404   404

searchByTextId           private              401       401     401      403       403    200    200   200   200
searchByTextId           public               200       401     401      200       200    200    200   200   200
searchByTextId           missing              401       401     401      403       404    404    404   404   404
searchByTextId           private+no-text      401       401     401      403       403    404    404   404   404
searchByTextId           public+no-text       404       401     401      404       404    404    404   404   404
searchByTextIdParameter  private+one          401       401     401      403       403    200    200   200   200
searchByTextIdParameter  public+one           200       401     401      200       200    200    200   200   200
searchByTextIdParameter  missing+one          401       401     401      403       404    404    404   404   404
searchByTextIdParameter  private+one+no-text  401       401     401      403       403    404    404   404   404
searchByTextIdParameter  public+one+no-text   404       401     401      404       404    404    404   404   404
searchByVector           private              401       401     401      403       403    200    200   200   200
searchByVector           public               200       401     401      200       200    200    200   200   200
searchByVector           missing              401       401     401      403       404    404    404   404   404
searchProjects           private              401       401     401      403       403    200    200   200   200
searchProjects           public               200       401     401      200       200    200    200   200   200
searchProjects           missing              401       401     401      403       404    404    404   404   404
searchBatch              private              401       401     401      403       403    200    200   200   200
searchBatch              public               200       401     401      200       200    200    200   200   200
searchBatch              missing              401       401     401      403       404    404    404   404   404

listAllNeighbours        private              401       401     401      403       403    200    200   200   200
listAllNeighbours        public               200       401     401      200       200    200    200   200   200
listAllNeighbours        missing              401       401     401      403       404    404    404   404   404

getProjectMap            private              401       401     401      403       403    200    200   200   200
getProjectMap            public               200       401     401      200       200    200    200   200   200
getProjectMap            missing              401       401     401      403       404    404    404   404   404

checkSanity              -                    401       401     401      403       403    403    403   403   200
backUpDatabase           -                    401       401     401      403       403    403    403   403     .
getSimilarityResponseSchema  -                200       200     200      200       200    200    200   200   200
getLiveness              -                    200       200     200      200       200    200    200   200   200
getReadiness             -                    200       200     200      200       200    200    200   200   200
getLimits                -                    200       200     200      200       200    200    200   200   200
getMetrics               -                    401       401     401      403       403    403    403   403   200
`

export const rows: readonly Row[] = table
  .split('\n')
  .filter((line) => line !== '')
  .slice(1)
  .flatMap(parse)

function parse(line: string): Row[] {
  const [operation = '', scene = '', ...statuses] = line.split(/ +/)
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
