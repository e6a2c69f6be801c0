import { setTimeout as sleep } from 'node:timers/promises'
import type { Tally } from '../tally.ts'
import { type Inquiry, measure, readPages, search, searchBatch, searchGroups } from './asking.ts'
import {
  changes,
  dimensionsTried,
  instanceOwner,
  makeInstance,
  makeProject,
  owners,
  type Scene,
} from './changes.ts'
import { Dice } from './dice.ts'
import { Model } from './model.ts'
import { count, list, neighbours } from './reading.ts'
import { Recall } from './recall.ts'
import { Target } from './target.ts'
import { upload } from './uploads.ts'
import { kinds } from './vectors.ts'

const handles = ['p', 'q', 'r', 's'] as const

/** How much is done in a round. */
export interface Extent {
  /** With a rest before each, in which indexes are built. */
  readonly phases: number
  readonly steps: number
  readonly mostComponents: number
  readonly restMs: number
}

const inquiries: readonly (readonly [weight: number, inquiry: Inquiry])[] = [
  [12, search],
  [3, searchGroups],
  [4, searchBatch],
  [6, measure],
  [1, readPages],
  [1, neighbours],
  [4, list],
  [3, count],
]
const changeShare = 0.35

export async function playRound(
  urls: readonly string[],
  tally: Tally,
  random: () => number,
  seed: number,
  extent: Extent,
): Promise<void> {
  const dice = new Dice(random)
  const target = new Target(urls, tally, dice, seed)
  // Two servers have PostgreSQL, and so search indexes.
  const recall = new Recall(urls.length > 1)
  const scene: Scene = { target, dice, models: [] }
  try {
    await populate(scene, extent)
    for (let phase = 0; phase < extent.phases; phase += 1) {
      await sleep(extent.restMs)
      for (let step = 0; step < extent.steps; step += 1) await stepOf(scene, recall)
    }
    for (const flaw of recall.flaws()) tally.violate('wrong answers', `seed ${seed}: ${flaw}`)
  } finally {
    target.close()
    tally.remarks = recall.figures
  }
}

async function populate(scene: Scene, { mostComponents }: Extent): Promise<void> {
  const { target, dice } = scene
  for (const owner of owners)
    await target.send('PUT', `/v1/users/${owner}`, { body: {}, expected: 201 })
  for (const size of dimensionsTried) await makeInstance(target, size)
  const sizes = [
    384,
    dice.of([64, 100]),
    dice.of([3, 16]),
    dice.of([384, 1536]),
    dice.of(dimensionsTried),
  ]
  for (const [index, size] of sizes.entries()) {
    const model = new Model(
      owners[index % 2] ?? instanceOwner,
      handles[Math.floor(index / 2)] ?? 'p',
      size,
      dice.some(kinds, dice.whole(1, 2)),
      dice,
    )
    scene.models.push(model)
    await makeProject(target, model)
    const most = Math.min(6_000, mostComponents / size)
    const texts = index === 0 ? most : dice.of([50, most / 4, most / 2, most])
    await upload(target, model, { fresh: model.newDocuments(dice, Math.floor(texts)) })
  }
}

async function stepOf(scene: Scene, recall: Recall): Promise<void> {
  const { dice, target } = scene
  target.step += 1
  const model = chosen(scene)
  const isChange = dice.chance(changeShare)
  if (!isChange) return dice.weighted(inquiries)(scene, model, recall)
  const at = scene.models.indexOf(model)
  await dice.weighted(changes)(scene, model)
  // It may have been made anew.
  const [now = model] = scene.models.slice(at, at + 1)
  for (const inquiry of [search, searchBatch]) await inquiry(scene, now, recall)
}

/** The large ones more often. */
function chosen({ dice, models }: Scene): Model {
  return dice.weighted(models.map((model) => [Math.sqrt(model.components + 1_000), model] as const))
}
