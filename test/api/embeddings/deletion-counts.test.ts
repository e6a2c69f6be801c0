import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { textIdsIn } from '../../support/data/embeddings.ts'
import { service } from '../../support/data/services.ts'
import {
  addProject,
  embedding,
  newInstance,
  newProject,
  newSharee,
  newUser,
  type Project,
  type User,
  unique,
  upload,
} from '../../support/factories.ts'

const some = (count: number) =>
  Array.from({ length: count }, (_, index) => embedding(`t${index}`, [1, index, 0]))

/** A share of an instance `model`. */
const lend = (owner: User, { handle: share_with_handle }: User) =>
  call('POST', `/v1/llm-services/${owner.handle}/model/share`, {
    key: owner.key,
    body: { share_with_handle, role: 'reader' },
  })

/** A user with all that can belong to one, and how much that is. */
async function richUser() {
  const [first, foreign] = [await newProject(), await newProject()]
  const { owner } = first
  const { handle, key } = owner
  await upload(first, ...some(3))
  await upload(await addProject(owner, 'second', { public_read: true }), ...some(2))
  await addProject(owner, 'empty')
  await newInstance(owner, {}, 'spare')
  await call('PUT', `/v1/llm-definitions/${handle}/mine`, { key, body: service })
  // Shares that the user gave: of a project and of an instance, and one by which the instance is used.
  await newSharee(first, 'reader')
  const borrower = await newUser('borrower')
  await newInstance(borrower)
  for (const user of [borrower, foreign.owner]) await lend(owner, user)
  const detached = await addProject(borrower, 'detached', { instance_owner: handle })
  await upload(detached, ...some(4))
  // Shares that the user had.
  await lend(foreign.owner, owner)
  const body = { share_with_handle: handle, role: 'editor' }
  await call('POST', `${foreign.path()}/share`, { key: foreign.owner.key, body })
  const counts = {
    project_count: 3,
    embedding_count: 5,
    instance_count: 2,
    definition_count: 1,
    share_count: 5,
    detached_project_count: 1,
  }
  return { owner, first, detached, counts }
}

const dry = '?dry_run=true'

describe('deleting a user', () => {
  it('says what goes with the user, and before that what would go', async () => {
    const { owner, first, detached, counts } = await richUser()
    const path = `/v1/users/${owner.handle}`
    for (const key of [owner.key, undefined]) {
      const asked = await asAdmin('DELETE', path + dry, key === undefined ? {} : { key })
      expect(asked.status).toBe(200)
      const message = `User '${owner.handle}' would be deleted`
      expect(asked.body).toEqual({ message, deleted: false, ...counts })
    }
    expect(await textIdsIn(first)).toHaveLength(3)
    const { key } = detached.owner
    expect((await call('GET', detached.path(), { key })).body.instance_owner).toBe(owner.handle)

    const { status, body } = await asAdmin('DELETE', path)
    expect(status).toBe(200)
    expect(body).toEqual({ message: `User '${owner.handle}' deleted`, deleted: true, ...counts })
    expect((await asAdmin('GET', path)).status).toBe(404)
    expect((await call('GET', detached.path(), { key })).body).not.toHaveProperty('instance_owner')
  })

  it('counts nothing where there is nothing', async () => {
    const { handle } = await newUser()
    const { body } = await asAdmin('DELETE', `/v1/users/${handle}`)
    const { message, deleted, ...counts } = body
    expect([message, deleted]).toEqual([`User '${handle}' deleted`, true])
    expect(new Set(Object.values(counts))).toEqual(new Set([0]))
  })

  it('is refused beforehand as it would be', async () => {
    const { handle } = await newUser()
    const stranger = await newUser('stranger')
    const path = `/v1/users/${handle}`
    expect((await call('DELETE', path + dry, { key: stranger.key })).status).toBe(403)
    expect((await call('DELETE', path + dry)).status).toBe(401)
    expect((await asAdmin('DELETE', `/v1/users/_system${dry}`)).status).toBe(403)
    expect((await asAdmin('DELETE', `/v1/users/${unique('nobody')}${dry}`)).status).toBe(404)
    for (const query of [
      '?dry_run=yes',
      '?dryrun=true',
      '?dry_run',
      '?dry_run=true&dry_run=true',
    ]) {
      expect((await asAdmin('DELETE', path + query)).status).toBe(400)
    }
    expect((await asAdmin('GET', path)).status).toBe(200)
  })

  it('counts what this deletion took, not what others take at the same moment', async () => {
    for (let round = 0; round < 6; round += 1) {
      const project = await newProject()
      const { owner } = project
      const { key } = owner
      const others: Project[] = []
      for (const name of ['a', 'b', 'c']) others.push(await addProject(owner, name))
      const sharees = [await newSharee(project, 'reader'), await newSharee(project, 'editor')]
      for (const sharee of sharees) await lend(owner, sharee)
      await upload(project, ...some(3))
      await newInstance(owner, {}, 'spare')
      await call('PUT', `/v1/llm-definitions/${owner.handle}/mine`, { key, body: service })
      const [deleted, ...taken] = await Promise.all([
        asAdmin('DELETE', `/v1/users/${owner.handle}`),
        ...sharees.map(({ handle }) => asAdmin('DELETE', `${project.path()}/share/${handle}`)),
        ...sharees.map(({ handle }) =>
          asAdmin('DELETE', `/v1/llm-services/${owner.handle}/model/share/${handle}`),
        ),
        ...others.map(({ path }) => asAdmin('DELETE', path())),
        asAdmin('DELETE', `/v1/llm-services/${owner.handle}/spare`),
        asAdmin('DELETE', `/v1/llm-definitions/${owner.handle}/mine`),
        asAdmin('DELETE', `${project.path('embeddings')}/t1`),
      ])
      const [shares, rest] = [taken.slice(0, 4), taken.slice(4)]
      const [projects, instance, definition, embeddings] = [
        rest.slice(0, 3),
        rest.slice(3, 4),
        rest.slice(4, 5),
        rest.slice(5),
      ]
      const gone = (answers: readonly { status: number }[]) =>
        answers.filter(({ status }) => status === 200).length
      for (const { status } of taken) expect([200, 404]).toContain(status)
      expect(deleted?.body).toMatchObject({
        share_count: 4 - gone(shares),
        project_count: 4 - gone(projects),
        instance_count: 2 - gone(instance),
        definition_count: 1 - gone(definition),
        embedding_count: 3 - gone(embeddings),
      })
    }
  })
})

describe('deleting a project', () => {
  it('says what goes with it, and before that what would go', async () => {
    const project = await newProject()
    const name = `Project '${project.owner.handle}/texts'`
    await upload(project, ...some(3))
    await newSharee(project, 'reader')
    const editor = await newSharee(project, 'editor')
    const other = await addProject(project.owner, 'other')
    await upload(other, ...some(2))
    const remove = (query = '', { key } = project.owner) =>
      call('DELETE', project.path() + query, { key })
    const counts = { embedding_count: 3, share_count: 2 }

    const asked = await remove(dry)
    expect(asked.status).toBe(200)
    expect(asked.body).toEqual({ message: `${name} would be deleted`, deleted: false, ...counts })
    expect((await remove(dry, editor)).status).toBe(403)
    expect((await remove('?dry_run=1')).status).toBe(400)
    expect(await textIdsIn(project)).toHaveLength(3)

    const { body } = await remove('?dry_run=false')
    expect(body).toEqual({ message: `${name} deleted`, deleted: true, ...counts })
    expect((await remove(dry)).status).toBe(404)
    expect(await textIdsIn(other)).toHaveLength(2)
  })
})

describe('deleting an instance', () => {
  it('says what goes with it, and before that what would go', async () => {
    const [owner, friend] = [await newUser('owner'), await newUser('friend')]
    await newInstance(owner)
    await lend(owner, friend)
    const path = `/v1/llm-services/${owner.handle}/model`
    const name = `LLM service instance '${owner.handle}/model'`
    const remove = (query = '') => call('DELETE', path + query, owner)

    const asked = await remove(dry)
    expect(asked.status).toBe(200)
    const message = `${name} would be deleted`
    expect(asked.body).toEqual({ message, deleted: false, share_count: 1 })
    expect((await call('GET', path, friend)).status).toBe(200)
    const { body } = await remove()
    expect(body).toEqual({ message: `${name} deleted`, deleted: true, share_count: 1 })
    expect((await remove(dry)).status).toBe(404)
  })

  it('is refused beforehand as it would be', async () => {
    const { owner } = await newProject()
    const path = `/v1/llm-services/${owner.handle}/model`
    const [asked, refused] = [
      await call('DELETE', path + dry, owner),
      await call('DELETE', path, owner),
    ]
    expect(refused.status).toBe(409)
    expect(asked).toMatchObject({ status: 409, body: refused.body })
  })
})

describe('deleting all embeddings', () => {
  it('can be tried before', async () => {
    const project = await newProject()
    await upload(project, ...some(3))
    const remove = (query = '', { key } = project.owner) =>
      call('DELETE', project.path('embeddings') + query, { key })

    const message = '3 embeddings would be deleted'
    const asked = await remove(dry)
    expect(asked.status).toBe(200)
    expect(asked.body).toEqual({ message, matched_count: 3, deleted_count: 0 })
    const editor = await newSharee(project, 'editor')
    expect((await remove(dry, editor)).status).toBe(403)
    expect((await remove(`${dry}&text_id=t1`, editor)).body).toEqual({
      message: "Embedding 't1' would be deleted",
      matched_count: 1,
      deleted_count: 0,
    })
    expect((await remove(`${dry}&text_id=none`)).status).toBe(404)
    // Where it is not known it must not pass for nothing.
    const one = `${project.path('embeddings')}/t1${dry}`
    expect((await call('DELETE', one, project.owner)).status).toBe(400)
    expect(await textIdsIn(project)).toHaveLength(3)
    expect((await remove()).body).toEqual({
      message: '3 embeddings deleted',
      matched_count: 3,
      deleted_count: 3,
    })
  })
})
