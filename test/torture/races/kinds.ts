import { isDeepStrictEqual } from 'node:util'
import type { Outcome } from '../http-client.ts'
import { type Arena, statusesOf } from './arena.ts'

/** Prepares itself once; then every race has a number of its own. */
export type Race = (arena: Arena) => Promise<(number: number) => Promise<void>>

export const dimensions = 3

const item = (text_id: string, vector: number[]) => ({
  text_id,
  instance_handle: 'model',
  vector,
  vector_dim: dimensions,
})
const batch = (...embeddings: object[]) => ({ embeddings })
const reference = (owner: string) => ({ instance_owner: owner, instance_handle: 'model' })

const sameText: Race = async (arena) => {
  await arena.newUser('texter')
  await arena.newInstance('texter', 'model')
  await arena.newProject('texter', 'texts')
  const path = '/v1/embeddings/texter/texts'
  return async (number) => {
    const vectors = [
      [1, 0, 0],
      [0, 1, 0],
    ]
    const outcomes = await Promise.all(
      vectors.map((vector, side) => {
        const own = item(`${number}-only-${side}`, vector)
        return arena.call('POST', path, batch(own, item(`${number}-both`, vector)))
      }),
    )
    arena.expect(
      `two uploads of one text_id: ${statusesOf(outcomes)}`,
      statusesOf(outcomes) === '201,409',
    )
    const winner = outcomes.findIndex(({ status }) => status === 201)
    const both = await arena.call('GET', `${path}/${number}-both`)
    const kept = vectors.findIndex((vector) => isDeepStrictEqual(vectorIn(both), vector))
    arena.expect(`the upload ${winner} was acknowledged, and ${kept} stored`, kept === winner)
    for (const side of [0, 1]) {
      const { status } = await arena.call('GET', `${path}/${number}-only-${side}`)
      const expected = side === winner ? 200 : 404
      arena.expect(`the other text of upload ${side}: ${status}`, status === expected)
    }
  }
}

const vectorIn = ({ body }: Outcome): unknown =>
  typeof body === 'object' && body !== null && 'vector' in body ? body.vector : undefined

/** Three that create the same by PUT. */
const putOf =
  (what: string, pathOf: (number: number) => string, bodyOf: () => object): Race =>
  async (arena) => {
    const owner = `putter-${what}`
    await arena.newUser(owner)
    await arena.newInstance(owner, 'model')
    return async (number) => {
      const path = pathOf(number)
      const puts = [1, 2, 3].map(() => arena.call('PUT', path, bodyOf()))
      const outcomes = await Promise.all(puts)
      arena.expect(
        `three PUT ${path}: ${statusesOf(outcomes)}`,
        statusesOf(outcomes) === '200,200,201',
      )
      const first = JSON.stringify(outcomes[0]?.body)
      const same = outcomes.every(({ body }) => JSON.stringify(body) === first)
      arena.expect(`three PUT ${path} answer the same`, same)
    }
  }

const service = {
  endpoint: 'https://provider-a.example/v1/embeddings',
  api_standard: 'provider-a',
  model: 'raced',
  dimensions,
}

const deleteProject: Race = async (arena) => {
  await arena.newUser('deleter')
  await arena.newInstance('deleter', 'model')
  return async (number) => {
    await arena.newProject('deleter', `p${number}`)
    const project = `/v1/projects/deleter/p${number}`
    const path = `/v1/embeddings/deleter/p${number}`
    const [uploaded, deleted] = await Promise.all([
      arena.call('POST', path, batch(item('a', [1, 0, 0]), item('b', [0, 1, 0]))),
      arena.call('DELETE', project),
      arena.call('GET', path),
    ])
    arena.expect(`an upload: ${uploaded.status}`, [201, 404].includes(uploaded.status))
    arena.expect(`the deletion of its project: ${deleted.status}`, deleted.status === 200)
    const after = await arena.call('GET', project)
    arena.expect(`the project afterwards: ${after.status}`, after.status === 404)
  }
}

const transfer: Race = async (arena) => {
  const oldKey = await arena.newUser('giver')
  for (const other of ['taker', 'witness']) await arena.newUser(other)
  await arena.newInstance('giver', 'model')
  const asOld = arena.as(oldKey)
  return async (number) => {
    const name = `t${number}`
    await arena.newProject('giver', name)
    const before = `/v1/projects/giver/${name}`
    const share = (user: string) =>
      asOld('POST', `${before}/share`, { share_with_handle: user, role: 'editor' })
    const [given, witnessed, taken, uploaded] = await Promise.all([
      asOld('POST', `${before}/transfer-ownership`, { new_owner_handle: 'taker' }),
      share('witness'),
      share('taker'),
      asOld('POST', `/v1/embeddings/giver/${name}`, batch(item('a', [1, 0, 0]))),
    ])
    arena.expect(`a transfer: ${given.status}`, given.status === 200)
    for (const { status } of [witnessed, taken, uploaded]) {
      arena.expect(`beside a transfer: ${status}`, [201, 400, 403, 404].includes(status))
    }
    const after = `/v1/projects/taker/${name}`
    const shares = JSON.stringify((await arena.call('GET', `${after}/shared-with`)).body)
    const strangers = shares.includes('"taker"') || shares.includes('"giver"')
    arena.expect(`the shares afterwards: ${shares}`, !strangers)
    const shown = shares.includes('"witness"')
    arena.expect(
      `a share answered ${witnessed.status}: ${shares}`,
      shown === (witnessed.status === 201),
    )
    const text = await arena.call('GET', `/v1/embeddings/taker/${name}/a`)
    const expected = uploaded.status === 201 ? 200 : 404
    arena.expect(`an upload answered ${uploaded.status}: ${text.status}`, text.status === expected)
  }
}

const deleteUser: Race = async (arena) => {
  const keptKey = await arena.newUser('keeper')
  await arena.newInstance('keeper', 'model')
  return async (number) => {
    const leaver = `leaver-${number}`
    const ownKey = await arena.newUser(leaver)
    await arena.newInstance(leaver, 'model')
    await arena.newProject(leaver, 'own')
    await arena.newProject('keeper', `k${number}`)
    const asOwn = arena.as(ownKey)
    const asKeeper = arena.as(keptKey)
    const outcomes = await Promise.all([
      arena.call('DELETE', `/v1/users/${leaver}`),
      asOwn('POST', `/v1/embeddings/${leaver}/own`, batch(item('a', [1, 0, 0]))),
      asOwn('PUT', `/v1/projects/${leaver}/new`, reference(leaver)),
      asOwn('POST', `/v1/similars/${leaver}/own`, { vector: [1, 0, 0] }),
      asOwn('POST', `/v1/projects/${leaver}/own/share`, {
        share_with_handle: 'keeper',
        role: 'reader',
      }),
      asKeeper('POST', `/v1/projects/keeper/k${number}/share`, {
        share_with_handle: leaver,
        role: 'reader',
      }),
    ])
    const [deleted, ...others] = outcomes
    arena.expect(`the deletion of a user: ${deleted.status}`, deleted.status === 200)
    for (const { status } of others) {
      arena.expect(`beside it: ${status}`, [200, 201, 400, 401, 403, 404, 409].includes(status))
    }
    const gone = await arena.call('GET', `/v1/users/${leaver}`)
    arena.expect(`the user afterwards: ${gone.status}`, gone.status === 404)
    const shares = await arena.call('GET', `/v1/projects/keeper/k${number}/shared-with`)
    arena.expect(`a share of nobody`, !JSON.stringify(shares.body).includes(leaver))
  }
}

export const races: Readonly<Record<string, Race>> = {
  'same text_id': sameText,
  'PUT user': putOf(
    'user',
    (number) => `/v1/users/put-${number}`,
    () => ({ name: 'Put' }),
  ),
  'PUT instance': putOf(
    'instance',
    (number) => `/v1/llm-services/putter-instance/i${number}`,
    () => service,
  ),
  'PUT project': putOf(
    'project',
    (number) => `/v1/projects/putter-project/p${number}`,
    () => reference('putter-project'),
  ),
  'delete project, upload': deleteProject,
  'transfer, share, upload': transfer,
  'delete user, anything': deleteUser,
}
