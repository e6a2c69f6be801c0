import { modelOf } from '../../shared/model.ts'
import { Deleted } from './answers.ts'
import type { Dice } from './dice.ts'
import { newFilter } from './filters.ts'
import { holds } from './holds.ts'
import { type Document, instanceFor, Model } from './model.ts'
import { namedOf } from './questions.ts'
import type { Target } from './target.ts'
import { upload } from './uploads.ts'
import { type Kind, kinds } from './vectors.ts'

/** All projects of a round, of which a change may make others. */
export interface Scene {
  readonly target: Target
  readonly dice: Dice
  models: Model[]
}

export const owners = ['ann', 'bob', 'cat'] as const
export const dimensionsTried = [3, 16, 64, 100, 384, 1536] as const

export type Change = (scene: Scene, model: Model) => Promise<void>

export const instanceOwner = 'ann'

export async function makeInstance(target: Target, dimensions: number): Promise<void> {
  const path = `/v1/llm-services/${instanceOwner}/${instanceFor(dimensions)}`
  await target.send('PUT', path, { body: modelOf(dimensions), expected: 201 })
}

export async function makeProject(target: Target, model: Model): Promise<void> {
  const body = { instance_owner: instanceOwner, instance_handle: model.instance }
  await target.send('PUT', model.path('projects'), { body, expected: 201 })
}

/** What is stored, as others. */
const changed = (model: Model, documents: readonly Document[], dice: Dice) =>
  documents.map(({ id, kind }) => model.newDocument(dice, kind, id))

const addSome: Change = ({ target, dice }, model) =>
  upload(target, model, { fresh: model.newDocuments(dice, dice.of([1, 1, 3, 20, 150])) })

const skipSome: Change = async ({ target, dice }, model) => {
  const there = dice.some(model.all, dice.whole(1, 20))
  const fresh = model.newDocuments(dice, dice.whole(0, 20))
  await upload(target, model, { fresh, changed: changed(model, there, dice) }, 'skip')
}

const replaceSome: Change = async ({ target, dice }, model) => {
  const there = dice.some(model.all, dice.of([1, 10, 60]))
  const middle = dice.whole(0, there.length)
  const fresh = model.newDocuments(dice, dice.whole(0, 10))
  const others = changed(model, there.slice(middle), dice)
  const same = there.slice(0, middle)
  await upload(target, model, { fresh, changed: others, same }, 'replace')
}

/** Only text and metadata are others. */
const describeAnew: Change = async ({ target, dice }, model) => {
  const there = dice.some(model.all, dice.of([1, 20]))
  const others = there.map((document) => {
    const { text, metadata } = model.newDocument(dice, document.kind, document.id)
    return { ...document, text: `${text} anew`, metadata, createdAt: undefined }
  })
  await upload(target, model, { fresh: [], changed: others }, 'replace')
}

const deleteOne: Change = async ({ target, dice }, model) => {
  const [document] = dice.some(model.all, 1)
  if (document === undefined) return
  const { id } = document
  const name = encodeURIComponent(id)
  const byQuery = dice.chance(0.3)
  await target.send(
    'DELETE',
    `${model.path('embeddings')}${byQuery ? `?text_id=${name}` : `/${name}`}`,
  )
  model.drop([id])
  await target.send('GET', `${model.path('similars')}/${name}`, { expected: 404 })
  await target.send('GET', `${model.path('embeddings')}/${name}`, { expected: 404 })
}

async function deleteThese(
  { target, dice }: Scene,
  model: Model,
  body: object,
  ids: readonly string[],
) {
  const path = `${model.path('embeddings')}/delete`
  if (dice.chance(0.3)) {
    const dry = await target.read(Deleted, 'POST', `${path}?dry_run=true`, { body })
    const counted = dry?.value.matched_count
    if (counted !== ids.length)
      target.complain('POST', `${path}?dry_run`, body, [`${counted}, not ${ids.length}`])
  }
  const answer = await target.read(Deleted, 'POST', path, { body })
  const count = answer?.value.deleted_count
  if (count !== ids.length)
    target.complain('POST', path, body, [`${count} deleted, not ${ids.length}`])
  model.drop(ids)
}

const deleteByIds: Change = (scene, model) => {
  const ids = scene.dice.some(model.all, scene.dice.of([1, 5, 100])).map(({ id }) => id)
  const strangers = scene.dice.chance(0.3) ? ['nobody'] : []
  return deleteThese(scene, model, { text_ids: [...ids, ...strangers] }, ids)
}

const deleteByFilter: Change = async (scene, model) => {
  const filter = newFilter(scene.dice, namedOf(model, scene.dice))
  const ids = model.all.filter((document) => holds(filter, document)).map(({ id }) => id)
  // Enough is left to search, most of the time.
  const isTooMuch = ids.length > model.documents.size / 4 && scene.dice.chance(0.8)
  if (Object.keys(filter).length === 0 || isTooMuch) return
  await deleteThese(scene, model, { filter }, ids)
}

const dropKind: Change = (scene, model) => {
  const kind = scene.dice.of(kinds)
  const ids = model.ofKind(kind).map(({ id }) => id)
  if (ids.length === model.documents.size) return Promise.resolve()
  return deleteThese(scene, model, { filter: { text_id: { $prefix: `${kind}-` } } }, ids)
}

const growBy: Change = async ({ target, dice }, model) => {
  const missing = kinds.filter((kind) => !model.kinds.includes(kind))
  const kind: Kind = dice.of(missing.length > 0 ? missing : kinds)
  if (!model.kinds.includes(kind)) model.kinds.push(kind)
  const count = Math.ceil(Math.min(1_500, model.documents.size) * dice.between(0.05, 0.8)) + 5
  const fresh = Array.from({ length: count }, () => model.newDocument(dice, kind))
  await upload(target, model, { fresh })
}

const deleteAll: Change = async ({ target, dice }, model) => {
  const path = model.path('embeddings')
  const before = model.documents.size
  const answer = await target.read(Deleted, 'DELETE', path)
  const count = answer?.value.deleted_count
  if (count !== before) target.complain('DELETE', path, undefined, [`${count}, not ${before}`])
  model.drop(model.all.map(({ id }) => id))
  const again = Math.ceil(before * dice.between(0.3, 1)) + 10
  await upload(target, model, { fresh: model.newDocuments(dice, again) })
}

/** The same handle, though with other dimensions. */
const remake: Change = async (scene, model) => {
  const { target, dice } = scene
  await target.send('DELETE', model.path('projects'))
  const dimensions = dice.of(dimensionsTried)
  const made = new Model(model.owner, model.handle, dimensions, [dice.of(kinds)], dice)
  scene.models = scene.models.map((other) => (other === model ? made : other))
  await makeProject(target, made)
  const count = Math.floor(300_000 / dimensions / 4) + 50
  await upload(target, made, { fresh: made.newDocuments(dice, count) })
}

const transfer: Change = async (scene, model) => {
  const { target, dice, models } = scene
  const isTaken = (owner: string) =>
    models.some((other) => other.owner === owner && other.handle === model.handle)
  const free = owners.filter((owner) => !isTaken(owner))
  if (free.length === 0) return
  const owner = dice.of(free)
  const path = `${model.path('projects')}/transfer-ownership`
  await target.send('POST', path, { body: { new_owner_handle: owner } })
  const old = model.path('embeddings')
  model.owner = owner
  await target.send('GET', old, { expected: 404 })
}

/** Exports a project and imports it as another one, which takes the place of the smallest. */
const copy: Change = async (scene, model) => {
  const { target, dice } = scene
  const file = await target.transfer('GET', `${model.path('projects')}/export?format=semblance`)
  const [smallest] = scene.models.toSorted((a, b) => a.components - b.components)
  if (smallest === undefined || smallest === model) return
  await target.send('DELETE', smallest.path('projects'))
  const { owner, handle } = smallest
  const { instance, dimensions } = model
  const copied = new Model(owner, handle, dimensions, [...model.kinds], dice)
  const query = `?instance_owner=${instanceOwner}&instance_handle=${instance}`
  const path = `${copied.path('projects')}/import${query}`
  const answer = await target.transfer('POST', path, file)
  if (!answer.includes('imported')) target.complain('POST', path, '', [answer.slice(-300)])
  copied.keep(model.all.map((document) => ({ ...document })))
  scene.models = scene.models.map((other) => (other === smallest ? copied : other))
  const again = await target.transfer('GET', `${copied.path('projects')}/export?format=semblance`)
  if (again !== file) target.complain('GET', copied.path('projects'), '', ['another file'])
}

/** Most of them small, so that there is something to search for. */
export const changes: readonly (readonly [weight: number, change: Change])[] = [
  [8, addSome],
  [3, skipSome],
  [6, replaceSome],
  [2, describeAnew],
  [5, deleteOne],
  [3, deleteByIds],
  [2, deleteByFilter],
  [1.5, growBy],
  [0.7, dropKind],
  [0.5, deleteAll],
  [0.5, remake],
  [0.6, transfer],
  [0.6, copy],
]
