import { describe, expect, it } from 'vitest'
import { adminKey } from '../../support/app.ts'
import { call } from '../../support/client.ts'
import { exported, importFile, valuesOf } from '../../support/exports.ts'
import {
  addProject,
  embedding,
  giveAway,
  newInstance,
  newProject,
  newUser,
  type Project,
  projectNamed,
  share,
  type User,
  upload,
} from '../../support/factories.ts'

const endpoint = 'https://provider-a.example/v1?token=of-its-owner'
const known = { instance_handle: 'model', model: 'small', dimensions: 3 }
const whole = { ...known, endpoint, api_standard: 'provider-a' }

const fileOf = (project: Project, by: User) => exported(project, 'format=semblance', by)
const instanceIn = (file: Buffer) => valuesOf(file)[0].instance
/** A project that somebody was given whose instance belongs to another user. */
async function givenProject() {
  const given = await newProject({}, { endpoint })
  const giver = given.owner
  await upload(given, embedding('a', [1, 2, 3]))
  const project = await giveAway(given, await newUser('owner'))
  const instance = `/v1/llm-services/${giver.handle}/model`
  return { giver, project, instance, admin: { handle: '', key: adminKey } }
}

describe('the endpoint in a portable file', () => {
  it('is for those who may read the instance, as long as they may', async () => {
    const { giver, project, instance, admin } = await givenProject()
    const { owner } = project
    const seen = async () => instanceIn(await fileOf(project, owner))
    expect(await seen()).toEqual(known)
    expect(instanceIn(await fileOf(project, admin))).toEqual(whole)
    const { key } = giver
    await share(instance, giver, owner)
    expect(await seen()).toEqual(whole)
    expect((await call('DELETE', `${instance}/share/${owner.handle}`, { key })).status).toBe(200)
    expect(await seen()).toEqual(known)
    const mine = await addProject(giver, 'mine')
    expect(instanceIn(await fileOf(mine, giver))).toEqual(whole)
  })

  it('is not needed where the import names an instance', async () => {
    const { project } = await givenProject()
    const file = await fileOf(project, project.owner)
    const user = await newUser()
    const copy = projectNamed(user, 'copy')
    expect((await importFile(copy, file)).problem).toMatchObject({
      status: 400,
      detail:
        'instance_handle is required: the file does not say the endpoint and the API standard of its instance',
    })
    await newInstance(user)
    await newInstance(user, { dimensions: 4 }, 'wide')
    expect((await importFile(copy, file, 'instance_handle=wide')).problem).toMatchObject({
      status: 409,
    })
    expect((await importFile(copy, file, 'instance_handle=model')).problem).toBe(undefined)
    expect((await call('GET', `${copy.path('embeddings')}/a`, user)).status).toBe(200)
  })
})
