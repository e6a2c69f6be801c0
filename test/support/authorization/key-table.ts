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

export interface KeyRow {
  readonly operation: string
  readonly scene: string
  readonly expected: Readonly<Record<KeyKind, number>>
}

/*
 * What every operation answers to each of these keys; the owner's first key is allowed all of them but the
 * administrator's. Scenes are those of table.ts.
 */
const table = `
operation                scene        write read write-in read-in write-out read-out write-gone

listUsers                -              403  403      403     403       403      403        403
createUser               -              403  403      403     403       403      403        403
getUser                  there          403  403      403     403       403      403        403
putUser                  there          403  403      403     403       403      403        403
patchUser                there          403  403      403     403       403      403        403
deleteUser               there          403  403      403     403       403      403        403
rotateUserKey            there          403  403      403     403       403      403        403
listNamedKeys            there          403  403      403     403       403      403        403
createNamedKey           there          403  403      403     403       403      403        403
getNamedKey              there          403  403      403     403       403      403        403
getNamedKey              missing        403  403      403     403       403      403        403
patchNamedKey            there          403  403      403     403       403      403        403
rotateNamedKey           there          403  403      403     403       403      403        403
deleteNamedKey           there          403  403      403     403       403      403        403
checkSanity              -              403  403      403     403       403      403        403
getOverview              -              403  403      403     403       403      403        403
backUpDatabase           -              403  403      403     403       403      403        403
getMetrics               -              403  403      403     403       403      403        403

listApiStandards         -              200  200      200     200       200      200        200
getApiStandard           there          200  200      200     200       200      200        200
createApiStandard        -              403  403      403     403       403      403        403
putApiStandard           there          403  403      403     403       403      403        403
patchApiStandard         there          403  403      403     403       403      403        403
deleteApiStandard        there          403  403      403     403       403      403        403
getSimilarityResponseSchema  -          200  200      200     200       200      200        200
getLiveness              -              200  200      200     200       200      200        200
getReadiness             -              200  200      200     200       200      200        200
getLimits                -              200  200      200     200       200      200        200

listDefinitions          there          200  200      403     403       403      403        403
listDefinitions          _system        200  200      403     403       403      403        403
getDefinition            there          200  200      403     403       403      403        403
getDefinition            missing        404  404      403     403       403      403        403
createDefinition         there          201  403      403     403       403      403        403
putDefinition            there          200  403      403     403       403      403        403
patchDefinition          there          200  403      403     403       403      403        403
deleteDefinition         there          200  403      403     403       403      403        403

listInstances            there          200  200      403     403       403      403        403
listInstances            _system        200  200      403     403       403      403        403
getInstance              there          200  200      403     403       403      403        403
getInstance              missing        404  404      403     403       403      403        403
putInstance              there          403  403      403     403       403      403        403
patchInstance            there          403  403      403     403       403      403        403
deleteInstance           there          403  403      403     403       403      403        403
shareInstance            there          403  403      403     403       403      403        403
unshareInstance          there          200  403      403     403       403      403        403
listInstanceShares       there          403  403      403     403       403      403        403

getCaller                -              200  200      200     200       200      200        200
listVisibleProjects      -              200  200      200     200       200      200        200
listVisibleProjects      mine           200  200      200     200       200      200        200
listProjects             there          200  200      200     200       200      200        200
createProject            there          201  403      403     403       403      403        403
putProject               both           200  403      403     403       403      403        403
putProject               missing        201  403      403     403       403      403        403
importProject            missing        200  403      403     403       403      403        403
patchProject             both           200  403      403     403       403      403        403
tryMetadataScheme        both           200  403      403     403       403      403        403
deleteProject            both           200  403      403     403       403      403        403
shareProject             both           201  403      403     403       403      403        403
unshareProject           both           200  403      403     403       403      403        403
listProjectShares        both           200  403      403     403       403      403        403
transferProject          both           200  403      403     403       403      403        403
exportProject            both+file      200  403      403     403       403      403        403

getProject               both           200  200      200     200       403      403        403
getProject               missing        404  404      403     403       403      403        403
exportProject            both           200  200      200     200       403      403        403
countEmbeddings          both           200  200      200     200       403      403        403
getProjectStatistics     both           200  200      200     200       403      403        403
getProjectFields         both           200  200      200     200       403      403        403
listEmbeddings           both           200  200      200     200       403      403        403
listEmbeddings           both+one       200  200      200     200       403      403        403
getEmbedding             both           200  200      200     200       403      403        403
getEmbedding             both+no-text   404  404      404     404       403      403        403
findMissingEmbeddings    both           200  200      200     200       403      403        403
searchByTextId           both           200  200      200     200       403      403        403
searchByTextIdParameter  both+one       200  200      200     200       403      403        403
searchByVector           both           200  200      200     200       403      403        403
searchBatch              both           200  200      200     200       403      403        403
listAllNeighbours        both           200  200      200     200       403      403        403
getProjectMap            both           200  200      200     200       403      403        403

uploadEmbeddings         both           201  403      201     403       403      403        403
uploadEmbeddings         missing        404  403      403     403       403      403        403
deleteEmbedding          both           200  403      200     403       403      403        403
deleteEmbeddings         both           200  403      200     403       403      403        403
deleteAllEmbeddings      both           200  403      403     403       403      403        403
deleteAllEmbeddings      both+one       200  403      200     403       403      403        403
`

export const keyRows: readonly KeyRow[] = table
  .split('\n')
  .filter((line) => line !== '')
  .slice(1)
  .flatMap(parse)

function parse(line: string): KeyRow[] {
  const [operation = '', scene = '', ...statuses] = line.split(/ +/)
  if (statuses.length !== keyKinds.length) throw new Error(`not a status for each key: ${line}`)
  const [write, read, writeIn, readIn, writeOut, readOut, writeGone] = statuses.map(Number)
  const expected = {
    write: write ?? 0,
    read: read ?? 0,
    'write-in': writeIn ?? 0,
    'read-in': readIn ?? 0,
    'write-out': writeOut ?? 0,
    'read-out': readOut ?? 0,
    'write-gone': writeGone ?? 0,
  }
  const scenes = /^both/.test(scene)
    ? ['private', 'public'].map((kind) => scene.replace('both', kind))
    : [scene]
  return scenes.map((each) => ({ operation, scene: each, expected }))
}
