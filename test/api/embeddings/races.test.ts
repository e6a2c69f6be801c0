import { describe, expect, it } from 'vitest'
import { asAdmin, call } from '../../support/client.ts'
import { send, textIdsIn } from '../../support/data/embeddings.ts'
import { addProject, embedding, newProject, upload } from '../../support/factories.ts'

const batch = (prefix: string) =>
  Array.from({ length: 40 }, (_, index) => embedding(`${prefix}-${index}`, [1, index, 0]))

describe('uploads at the same time', () => {
  it('of one text_id succeed once', async () => {
    const project = await newProject()
    const uploads = Array.from({ length: 20 }, (_, index) =>
      send(project, embedding('same', [1, index, 0])),
    )
    const answers = await Promise.all(uploads)
    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)])
    const winner = answers.findIndex(({ status }) => status === 201)
    const { body } = await call('GET', `${project.path('embeddings')}/same`, project.owner)
    expect(body.vector).toEqual([1, winner, 0])
  })

  it('of the same batch in opposite orders succeed once and never half', async () => {
    const project = await newProject()
    const items = batch('t')
    const uploads = Array.from({ length: 10 }, (_, index) => {
      const own = embedding(`own-${index}`, [1, 2, 3])
      return send(project, ...(index % 2 === 0 ? items : items.toReversed()), own)
    })
    const statuses = (await Promise.all(uploads)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([201, ...Array.from({ length: 9 }, () => 409)])
    const owns = (await textIdsIn(project)).filter((textId) => textId.startsWith('own'))
    expect(owns).toEqual([`own-${statuses.indexOf(201)}`])
  })
})

describe('an upload while', () => {
  it('its project is deleted is stored or refused, and leaves nothing behind', async () => {
    const { owner } = await newProject()
    for (let round = 0; round < 5; round += 1) {
      const project = await addProject(owner, 'short-lived')
      const uploads = ['a', 'b', 'c', 'd'].map((prefix) => send(project, ...batch(prefix)))
      const deletion = call('DELETE', project.path(), owner)
      const statuses = (await Promise.all(uploads)).map(({ status }) => status)
      expect((await deletion).status).toBe(200)
      expect(statuses.filter((status) => ![201, 404].includes(status))).toEqual([])
      const again = await addProject(owner, 'short-lived')
      expect(await textIdsIn(again)).toEqual([])
      await call('DELETE', again.path(), owner)
    }
  })

  it('its owner is deleted never fails', async () => {
    const project = await newProject()
    const uploads = ['a', 'b', 'c'].map((prefix) =>
      asAdmin('POST', project.path('embeddings'), { body: { embeddings: batch(prefix) } }),
    )
    const deletion = asAdmin('DELETE', `/v1/users/${project.owner.handle}`)
    const statuses = (await Promise.all(uploads)).map(({ status }) => status)
    expect((await deletion).status).toBe(200)
    expect(statuses.filter((status) => ![201, 404, 409].includes(status))).toEqual([])
  })

  it('all embeddings are deleted is kept whole or not at all', async () => {
    const project = await newProject()
    await upload(project, ...batch('old'))
    const uploads = ['a', 'b', 'c'].map((prefix) => send(project, ...batch(prefix)))
    const deletion = call('DELETE', project.path('embeddings'), project.owner)
    const statuses = (await Promise.all(uploads)).map(({ status }) => status)
    expect(statuses).toEqual([201, 201, 201])
    const { body } = await deletion
    const left = (await textIdsIn(project)).length
    expect(body.deleted_count % 40).toBe(0)
    expect(left).toBe(160 - body.deleted_count)
  })

  it("its instance's dimensions change is stored with the old ones or refused", async () => {
    const project = await newProject()
    const instance = `/v1/llm-services/${project.owner.handle}/model`
    const uploads = ['a', 'b', 'c'].map((prefix) => send(project, ...batch(prefix)))
    const change = call('PATCH', instance, { ...project.owner, body: { dimensions: 4 } })
    const statuses = (await Promise.all(uploads)).map(({ status }) => status)
    const { status } = await change
    expect([200, 409]).toContain(status)
    const stored = (await textIdsIn(project)).length
    expect(stored).toBe(40 * statuses.filter((each) => each === 201).length)
    if (status === 200) expect(stored).toBe(0)
  })
})
