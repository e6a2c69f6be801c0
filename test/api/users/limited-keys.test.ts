import { describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { nameOf, show, statusOf } from '../../support/data/named-keys.ts'
import { ask, exportPath } from '../../support/exports.ts'
import {
  addProject,
  embedding,
  giveAway,
  newKey,
  newProject,
  newSharee,
  newUser,
  share,
  upload,
} from '../../support/factories.ts'

/** What each list shows to a key, as `<owner>/<handle>`. */
async function listed(key: string, paths: readonly string[]) {
  const lists = await Promise.all(paths.map((path) => call('GET', path, { key })))
  return lists.map(({ status, body }) =>
    status === 200
      ? {
          total: body.total_count,
          projects: body.projects.map((each: { owner: string; project_handle: string }) =>
            [each.owner, each.project_handle].join('/'),
          ),
        }
      : status,
  )
}

describe('a key that is limited to projects', () => {
  it('sees in all lists these alone', async () => {
    const [mine, shared, open] = [
      await newProject(),
      await newProject(),
      await newProject({ public_read: true }),
    ]
    const { owner } = mine
    await addProject(owner, 'other', { public_read: true })
    for (const { owner, path } of [shared, await addProject(shared.owner, 'more')]) {
      await share(path(), owner, mine.owner, 'editor')
    }
    const paths = [
      '/v1/me',
      '/v1/projects',
      '/v1/projects?visibility=own',
      '/v1/projects?visibility=shared',
      '/v1/projects?visibility=public',
      `/v1/projects/${owner.handle}`,
      `/v1/projects/${owner.handle}?include_shared=true`,
      `/v1/projects/${shared.owner.handle}`,
      `/v1/projects/${open.owner.handle}`,
    ]
    const [one, two, three] = [mine, shared, open].map(nameOf)
    const of = (...names: unknown[]) => ({ total: names.length, projects: names })
    const all = await newKey(owner, { projects: [one, two, three, one] })
    const both = [one, two].sort()
    expect(await listed(all, paths)).toEqual([
      of(one, two),
      of(one, two, three),
      of(one),
      of(two),
      of(three),
      of(one),
      { total: 2, projects: expect.arrayContaining(both) },
      of(two),
      403,
    ])
    const single = await newKey(owner, { projects: [one] })
    expect(await listed(single, paths)).toEqual([
      ...[of(one), of(one), of(one), of(), of(), of(one), of(one)],
      ...[403, 403],
    ])
    for (const project of [shared, open]) expect(await statusOf(project, single)).toBe(403)
  })

  it('does not reach a project that is made anew in place of its own', async () => {
    const project = await newProject()
    const { owner } = project
    const key = await newKey(owner, {
      key_handle: 'k',
      access: 'write',
      projects: [nameOf(project)],
    })
    expect(await statusOf(project, key)).toBe(200)
    await call('DELETE', project.path(), { key: owner.key })
    await addProject(owner, project.handle, { public_read: true })
    expect(await statusOf(project, key)).toBe(403)
    const body = { embeddings: [embedding('a', [1, 0, 0])] }
    expect((await call('POST', project.path('embeddings'), { key, body })).status).toBe(403)
    expect(await show(owner, 'k')).toMatchObject({ projects: [] })
    expect((await call('GET', '/v1/projects', { key })).body).toMatchObject({ projects: [] })
    expect((await call('GET', '/v1/me', { key })).body).toMatchObject({ total_count: 0 })
  })

  it('does not follow a project that is given away, nor does its description', async () => {
    const project = await newProject()
    const { owner } = project
    const other = await newUser()
    const key = await newKey(owner, { key_handle: 'k', projects: [nameOf(project)] })
    const there = (await giveAway(project, other)).path()
    expect((await call('GET', there, { key: other.key })).status).toBe(200)
    for (const path of [there, project.path()]) {
      expect((await call('GET', path, { key })).status).toBe(403)
    }
    expect(await show(owner, 'k')).toMatchObject({ projects: [] })
    // What is given to the user later is within the rights of the user, and of the key.
    await share(there, other, owner)
    expect((await call('GET', there, { key })).status).toBe(200)
    expect(await show(owner, 'k')).toMatchObject({ projects: [`${other.handle}/texts`] })
  })

  it('of an editor reaches nothing any more when the share has ended', async () => {
    const project = await newProject()
    const editor = await newSharee(project, 'editor')
    const key = await newKey(editor, { access: 'write', projects: [nameOf(project)] })
    expect(await statusOf(project, key)).toBe(200)
    await call('DELETE', `${project.path()}/share/${editor.handle}`, project.owner)
    expect(await statusOf(project, key)).toBe(403)
  })

  it('is not told the endpoint of an instance by an export', async () => {
    const project = await newProject()
    await upload(project, embedding('a', [1, 0, 0]))
    const key = await newKey(project.owner, { access: 'write', projects: [nameOf(project)] })
    const answer = await ask(exportPath(project), key)
    expect(answer.status).toBe(200)
    expect(await answer.text()).not.toContain('provider-a.example')
  })
})
