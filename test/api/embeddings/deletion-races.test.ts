import { describe, expect, it } from 'vitest'
import { type Answer, asAdmin, call } from '../../support/client.ts'
import { service } from '../../support/data/services.ts'
import { addProject, newProject, newUser, unique } from '../../support/factories.ts'

const rounds = Array.from({ length: 12 }, (_, round) => round)

/** What an answer says: its status, and why. */
const said = ({ status, body }: Answer) => `${status} ${body.detail ?? ''}`

describe('a deletion and what refers to it at the same moment: one of them is refused, by name', () => {
  it.each(['llm-services', 'llm-definitions'])('an API standard, in %s', async (kind) => {
    const { handle, key } = await newUser()
    for (const round of rounds) {
      const standard = unique('standard')
      const path = `/v1/api-standards/${standard}`
      const body = { description: 'No key', key_method: 'none', key_field: '' }
      await asAdmin('PUT', path, { body })
      const [created, deleted] = await Promise.all([
        call('PUT', `/v1/${kind}/${handle}/new-${round}`, {
          key,
          body: { ...service, api_standard: standard },
        }),
        asAdmin('DELETE', path),
      ])
      if (deleted.status === 200) {
        expect(said(created)).toBe(`400 api_standard: there is no API standard '${standard}'`)
      } else {
        expect(created.status).toBe(201)
        expect(said(deleted)).toMatch(/^409 Cannot delete API standard: referenced by /)
      }
    }
  })

  it('a definition, in an instance', async () => {
    const { handle, key } = await newUser()
    for (const round of rounds) {
      const path = `/v1/llm-definitions/${handle}/template-${round}`
      await call('PUT', path, { key, body: service })
      const [created, deleted] = await Promise.all([
        call('PUT', `/v1/llm-services/${handle}/new-${round}`, {
          key,
          body: { definition_owner: handle, definition_handle: `template-${round}` },
        }),
        call('DELETE', path, { key }),
      ])
      expect(deleted.status).toBe(200)
      expect(said(created)).toMatch(/^(201 |400 definition_handle: .*LLM service definition )/)
    }
  })

  it('a user, in a share, a transfer, and as the owner', async () => {
    const { owner } = await newProject()
    for (const round of rounds) {
      const [friend, { path }] = [await newUser(), await addProject(owner, `given-${round}`)]
      const share = { share_with_handle: friend.handle, role: 'reader' }
      const [deleted, ...others] = await Promise.all([
        asAdmin('DELETE', `/v1/users/${friend.handle}`),
        asAdmin('POST', `${path()}/share`, { body: share }),
        asAdmin('POST', `/v1/llm-services/${owner.handle}/model/share`, { body: share }),
        asAdmin('PUT', `/v1/llm-services/${friend.handle}/new`, { body: service }),
        asAdmin('PUT', `/v1/llm-definitions/${friend.handle}/new`, { body: service }),
        asAdmin('POST', `${path()}/transfer-ownership`, {
          body: { new_owner_handle: friend.handle },
        }),
      ])
      expect(deleted.status).toBe(200)
      // The project goes with its new owner.
      for (const other of others) expect(said(other)).toMatch(/^(20[01] |404 (User|Project) )/)
    }
  })

  it('an instance, in a share of it', async () => {
    const [owner, friend] = [await newUser('owner'), await newUser('friend')]
    const share = { share_with_handle: friend.handle, role: 'reader' }
    for (const round of rounds) {
      const path = `/v1/llm-services/${owner.handle}/new-${round}`
      await asAdmin('PUT', path, { body: service })
      const [shared, deleted] = await Promise.all([
        asAdmin('POST', `${path}/share`, { body: share }),
        asAdmin('DELETE', path),
      ])
      expect(deleted.status).toBe(200)
      expect(said(shared)).toMatch(/^(201 |404 LLM service instance )/)
    }
  })
})

it('a project that is deleted and given away: whoever has it then keeps it', async () => {
  const [{ owner }, heir] = [await newProject(), await newUser('heir')]
  for (const round of rounds) {
    const { path } = await addProject(owner, `given-${round}`)
    const answers = await Promise.all([
      asAdmin('POST', `${path()}/transfer-ownership`, { body: { new_owner_handle: heir.handle } }),
      asAdmin('DELETE', path()),
    ])
    const [done, refused] = answers.map(said).sort()
    expect(done).toBe('200 ')
    expect(refused).toMatch(/^404 Project /)
  }
})

it('two projects of one handle that are given to one user: one arrives, the other is refused', async () => {
  const [one, other] = [await newProject(), await newProject()]
  for (const round of rounds) {
    const heir = await newUser('heir')
    const handle = `given-${round}`
    const given = [await addProject(one.owner, handle), await addProject(other.owner, handle)]
    const answers = await Promise.all(
      given.map(({ path }) =>
        asAdmin('POST', `${path()}/transfer-ownership`, {
          body: { new_owner_handle: heir.handle },
        }),
      ),
    )
    const [arrived, refused] = answers.map(said).sort()
    expect(arrived).toBe('200 ')
    expect(refused).toMatch(new RegExp(`^409 Project '.*${handle}' already exists$`))
  }
})
