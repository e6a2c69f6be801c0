import { describe, expect, it } from 'vitest'
import { type Answer, asAdmin, call } from '../../support/client.ts'
import { service } from '../../support/data/services.ts'
import {
  addProject,
  embedding,
  newInstance,
  newProject,
  newUser,
  share,
  upload,
} from '../../support/factories.ts'

const times = (count: number, send: (index: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, index) => send(index)))
const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort()

describe('parallel changes that exclude each other', () => {
  it('share a project once', async () => {
    const { owner, path } = await newProject()
    const body = { share_with_handle: (await newUser('friend')).handle, role: 'editor' }
    const answers = await times(20, () => call('POST', `${path()}/share`, { key: owner.key, body }))
    expect(statuses(answers)).toEqual([...Array(19).fill(200), 201])
  })

  it('transfer a project to one new owner only', async () => {
    const project = await newProject()
    const heirs = await Promise.all(Array.from({ length: 6 }, () => newUser('heir')))
    const path = `${project.path()}/transfer-ownership`
    const answers = await Promise.all(
      heirs.map(({ handle }) => asAdmin('POST', path, { body: { new_owner_handle: handle } })),
    )
    expect(statuses(answers)).toEqual([200, 404, 404, 404, 404, 404])
  })

  it('give a project away with the shares and texts that were acknowledged, and none with its owner', async () => {
    const { owner } = await newProject()
    const { key } = owner
    const [heir, witness] = [await newUser('heir'), await newUser('witness')]
    for (let round = 0; round < 8; round += 1) {
      const { path } = await addProject(owner, `given-${round}`)
      const share = ({ handle }: typeof heir) => ({ share_with_handle: handle, role: 'editor' })
      const post = (path: string, body: object) => call('POST', path, { key, body })
      const others = () => [
        post(`${path()}/share`, share(heir)),
        post(`${path()}/share`, share(witness)),
        post(path('embeddings'), { embeddings: [embedding('a', [1, 0, 0])] }),
      ]
      const isFirst = round % 2 === 0
      const before = isFirst ? [] : others()
      const given = post(`${path()}/transfer-ownership`, { new_owner_handle: heir.handle })
      const answers = await Promise.all([...before, ...(isFirst ? others() : [])])
      expect((await given).status).toBe(200)
      const [shared, witnessed, uploaded] = answers.map(({ status }) => status)
      for (const status of [shared, witnessed, uploaded]) {
        expect([201, 400, 403, 404]).toContain(status)
      }
      const after = `/v1/projects/${heir.handle}/given-${round}/shared-with`
      const shares = (await call('GET', after, { key: heir.key })).body.shared_with
      const expected = witnessed === 201 ? [{ user_handle: witness.handle }] : []
      expect(shares).toMatchObject(expected)
      const text = await call('GET', `/v1/embeddings/${heir.handle}/given-${round}/a`, heir)
      expect(text.status).toBe(uploaded === 201 ? 200 : 404)
    }
  })

  it('never leave a project with an instance of other dimensions than its embeddings', async () => {
    const { owner, handle, path } = await newProject()
    const { key } = owner
    await upload({ owner, handle, path }, embedding('a', [1, 0, 0]))
    for (let round = 0; round < 8; round += 1) {
      const instance_handle = `other-${round}`
      await newInstance(owner, {}, instance_handle)
      const reference = { instance_owner: owner.handle, instance_handle }
      const instance = `/v1/llm-services/${owner.handle}/${instance_handle}`
      const answers = await Promise.all([
        call('PUT', path(), { key, body: reference }),
        call('PATCH', instance, { key, body: { dimensions: 4 } }),
      ])
      expect(statuses(answers)).toEqual([200, 409])
    }
  })

  it('never delete an instance that a project has begun to use', async () => {
    const { owner } = await newProject()
    const { key } = owner
    for (let round = 0; round < 8; round += 1) {
      const instance_handle = `other-${round}`
      await newInstance(owner, {}, instance_handle)
      const body = {
        instance_owner: owner.handle,
        instance_handle,
        project_handle: instance_handle,
      }
      const [created, deleted] = await Promise.all([
        call('POST', `/v1/projects/${owner.handle}`, { key, body }),
        call('DELETE', `/v1/llm-services/${owner.handle}/${instance_handle}`, { key }),
      ])
      expect([200, 409]).toContain(deleted.status)
      expect(created.status).toBe(deleted.status === 200 ? 400 : 201)
    }
  })

  it('are answered without 5xx while a user and all of his things go', async () => {
    const project = await newProject()
    const { owner } = project
    const friend = await newUser('friend')
    const reference = { instance_owner: owner.handle, instance_handle: 'model' }
    const shared = { share_with_handle: friend.handle, role: 'editor' }
    await share(`/v1/llm-services/${owner.handle}/model`, owner, friend)
    await addProject(friend, 'theirs', reference)
    const requests = [
      ['PUT', `/v1/users/${owner.handle}`, { name: 'New' }],
      ['PUT', project.path(), reference],
      ['PUT', `${project.path()}-2`, reference],
      ['PATCH', project.path(), { public_read: true }],
      ['PUT', `/v1/projects/${friend.handle}/theirs`, reference],
      ['PUT', `/v1/llm-services/${owner.handle}/model`, service],
      ['POST', `${project.path()}/share`, shared],
      ['POST', `${project.path()}/transfer-ownership`, { new_owner_handle: friend.handle }],
      ['POST', project.path('embeddings'), { embeddings: [embedding('a', [1, 0, 0])] }],
      ['DELETE', `/v1/users/${owner.handle}`, undefined],
      ['DELETE', project.path(), undefined],
      ['POST', `/v1/users/${owner.handle}/rotate-key`, undefined],
    ] as const
    const answers = await times(48, (index) => {
      const [method, path, body] = requests[(index * 5) % requests.length] ?? requests[0]
      return asAdmin(method, path, body === undefined ? {} : { body })
    })
    expect(statuses(answers).filter((status) => status >= 500)).toEqual([])
    expect((await call('GET', `/v1/projects/${friend.handle}`, { key: friend.key })).status).toBe(
      200,
    )
  })
})
