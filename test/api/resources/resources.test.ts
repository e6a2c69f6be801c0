import { beforeAll, describe, expect, it } from 'vitest'
import { call } from '../../support/client.ts'
import { expectRefused } from '../../support/data/refusals.ts'
import { ignored, type Place, resourceKinds } from '../../support/data/resources.ts'
import { unique } from '../../support/factories.ts'

const absent = (fields: object, ...values: unknown[]) =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, values]))

describe.each(resourceKinds)('$kind', (kind) => {
  const { handleField, hasPost, optional, others, empty, onlyMade, onlyRead, bad } = kind
  let place: Place
  beforeAll(async () => {
    place = await kind.newPlace()
  })

  const pathOf = (handle: string, { collection } = place) => `${collection}/${handle}`
  const send = (method: string, handle: string, body?: object) =>
    call(method, pathOf(handle), { key: place.key, body })
  const post = (body: object, { collection, key } = place) =>
    call('POST', collection, { key, body })
  const shown = (handle: string, fields: object) => ({
    ...{ [handleField]: handle, ...place.own, ...place.required, ...empty, ...fields },
  })
  const made = (handle: string, fields: object) => ({ ...shown(handle, fields), ...onlyMade })
  const read = (handle: string, fields: object) => ({ ...shown(handle, fields), ...onlyRead })
  const expectShown = async (handle: string, fields: object) =>
    expect(await send('GET', handle)).toMatchObject({ status: 200, body: read(handle, fields) })
  async function newOne() {
    const handle = unique('some')
    const { status, headers, body } = await send('PUT', handle.replaceAll('-', '%2D'), {
      ...place.required,
      ...optional,
    })
    expect([status, headers.get('location')]).toEqual([201, pathOf(handle)])
    expect(body).toEqual(made(handle, optional))
    return handle
  }

  it.runIf(hasPost)('is created by POST, once, and shown', async () => {
    const handle = unique('new')
    const body = { [handleField]: handle, ...place.required, ...optional }
    const { status, headers, body: created } = await post(body)
    expect([status, headers.get('location')]).toEqual([201, pathOf(handle)])
    expect(created).toEqual(made(handle, optional))
    await expectShown(handle, optional)
    const detail = expect.stringMatching(`${handle}' already exists$`)
    expect(await post(body)).toMatchObject({ status: 409, body: { detail } })
    if (!kind.isOwned) return
    const others = await kind.newPlace()
    expect((await post({ ...body, ...others.required }, others)).status).toBe(201)
  })

  it('is created by PUT with the handle of the path, and replaced: what is absent becomes empty', async () => {
    const handle = await newOne()
    await expectShown(handle, optional)
    const again = { [handleField]: handle, ...place.required, ...others }
    const { status, headers, body } = await send('PUT', handle, again)
    expect([status, headers.get('location')]).toEqual([200, null])
    expect(body).toEqual(made(handle, others))
    const got = await send('GET', handle)
    expect(got.body).toEqual(read(handle, others))
  })

  it('is changed by PATCH in the given fields only, and null clears', async () => {
    const handle = await newOne()
    const patch = (body: object) => send('PATCH', handle, body)
    const changed = { ...optional, ...others }
    for (const body of [{ [handleField]: handle, ...others }, {}]) {
      expect(await patch(body)).toMatchObject({ status: 200, body: read(handle, changed) })
    }
    const left = new Map(Object.entries(changed))
    for (const name of Object.keys(optional)) {
      left.delete(name)
      const { body } = await patch({ [name]: null })
      expect(body).toEqual(read(handle, Object.fromEntries(left)))
    }
    expect((await send('GET', handle)).body).toEqual(read(handle, others))
  })

  it('is created once by 20 requests at the same time', async () => {
    const times = (send: () => ReturnType<typeof call>) =>
      Promise.all(Array.from({ length: 20 }, send))
    const statusesOf = (answers: Awaited<ReturnType<typeof times>>) =>
      answers.map(({ status }) => status).sort()
    const one = unique('same')
    const put = await times(() => send('PUT', one, place.required))
    expect(statusesOf(put)).toEqual([...Array(19).fill(200), 201])
    // They have the same id, or key.
    expect(new Set(put.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    if (!hasPost) return
    const body = { [handleField]: unique('same'), ...place.required }
    expect(statusesOf(await times(() => post(body)))).toEqual([201, ...Array(19).fill(409)])
  })

  it('ignores what it does not know, what only answers have, and null for what is optional', async () => {
    const handle = unique('some')
    const nulls = Object.fromEntries(Object.keys(optional).map((name) => [name, null]))
    const fields = { ...ignored, ...nulls, ...place.required }
    expect((await send('PUT', handle, fields)).body).toEqual(made(handle, {}))
  })

  it('refuses what is missing or invalid, by its name', async () => {
    const { required } = place
    const missing = { ...absent(required, undefined, null) }
    const whole = merged(missing, bad, kind.badWhenMade)
    if (hasPost) {
      const valid = { [handleField]: unique('good'), ...required }
      await expectRefused((body) => post(body), valid, { [handleField]: kind.badHandles, ...whole })
    }
    const handle = await newOne()
    const wrongHandles = { [handleField]: [`${handle}2`, handle.toUpperCase(), '_system', 5, null] }
    await expectRefused((body) => send('PUT', handle, body), required, {
      ...wrongHandles,
      ...whole,
    })
    await expectRefused(
      (body) => send('PATCH', handle, body),
      {},
      { ...wrongHandles, ...merged(absent(others, null), bad) },
    )
  })

  it('has a handle up to the limits of the rule, and no other', async () => {
    for (const handle of kind.goodHandles) {
      const body = { [handleField]: handle }
      expect(await send('PUT', handle, place.required), handle).toMatchObject({ status: 201, body })
      expect((await send('DELETE', handle)).status, handle).toBe(200)
    }
    for (const handle of kind.badHandles) {
      if (typeof handle !== 'string' || /^\.*$/.test(handle) || !handle.isWellFormed()) continue
      const { status } = await send('PUT', encodeURIComponent(handle), place.required)
      expect(status, JSON.stringify(handle)).toBe(handle === '_system' ? 403 : 400)
    }
  })

  it('is deleted with a message, and then not found', async () => {
    const handle = await newOne()
    const { status, body } = await send('DELETE', handle)
    expect(status).toBe(200)
    expect(body).toEqual({ message: expect.stringContaining(handle) })
    const missing = {
      status: 404,
      body: { detail: expect.stringMatching(`${handle}' not found$`) },
    }
    for (const [method, sent] of [['GET'], ['PATCH', {}], ['DELETE']] as const) {
      expect(await send(method, handle, sent), method).toMatchObject(missing)
    }
  })
})

/** Values of each field, of all that name it. */
function merged(...of: readonly Readonly<Record<string, readonly unknown[]>>[]) {
  const all: Record<string, unknown[]> = {}
  for (const [name, values] of of.flatMap((each) => Object.entries(each))) {
    all[name] = [...(all[name] ?? []), ...values]
  }
  return all
}
