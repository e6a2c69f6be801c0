// Each map has a thread of its own, so that it can be stopped at any time, which frees its memory.
import { createCipheriv } from 'node:crypto'
import { serveRequests } from '../concurrency/serve-requests.ts'
import { yieldToOthers } from '../concurrency/yielding.ts'
import { randomRotation } from '../search/memory/random-rotation.ts'
import { receivedVector } from '../vectors/encoding.ts'
import type { MapReply, MapRequest, VectorsToCome } from './computations.ts'
import { createUMAP } from './embedding-atlas/umap.js'
import { progressSteps } from './limits.ts'

/** The paper's authors use it too. More show larger patterns, fewer show finer ones. */
const nNeighbors = 15
/**
 * The authors use 500 and 200 epochs, and 5 negative samples at each step. These lower numbers are
 * enough: see bench/measured/maps.md.
 */
const largeMap = 10_000
const epochsFor = (rows: number) => (rows > largeMap ? 100 : 200)
const negativeSampleRate = 3

/** The factor by which memory grows if vectors were uploaded after they were counted. */
const growth = 1.25

/** Always the same bytes, so that the same vectors have the same map. */
const bytesOf = (count: number, round: number) =>
  createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16, round)).update(
    Buffer.alloc(count),
  )

class Rows {
  count = 0
  readonly #come: VectorsToCome
  readonly #rotate: (vector: Float32Array) => void
  #values: Float32Array

  constructor(come: VectorsToCome) {
    const { rows, dimensions, keptDimensions } = come
    this.#come = come
    this.#values = new Float32Array(rows * keptDimensions)
    // After a random rotation, a part of a vector has roughly the same angles to others as the
    // whole.
    this.#rotate = keptDimensions < dimensions ? randomRotation(dimensions, bytesOf) : () => {}
  }

  add(vector: Float32Array): void {
    const { keptDimensions } = this.#come
    const at = this.count * keptDimensions
    if (at + keptDimensions > this.#values.length) {
      const larger = new Float32Array(Math.ceil((this.count + 1) * growth) * keptDimensions)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#rotate(vector)
    this.#values.set(vector.subarray(0, keptDimensions), at)
    this.count += 1
  }

  async map(): Promise<Float32Array<ArrayBuffer>> {
    const { count } = this
    const { keptDimensions, progress } = this.#come
    // One text is in the middle, for which nothing has to be compiled.
    if (count < 2) return new Float32Array(2 * count)
    const data = this.#values.subarray(0, count * keptDimensions)
    const umap = await createUMAP(count, keptDimensions, 2, data, {
      metric: 'cosine',
      nNeighbors: Math.max(1, Math.min(nNeighbors, count - 1)),
      nEpochs: epochsFor(count),
      negativeSampleRate,
      seed: 1,
      progress: (share) => void Atomics.store(progress, 0, share * progressSteps),
    })
    await umap.run()
    return inSquare(umap.embedding)
  }
}

/**
 * Centres the places at 0 and scales both axes alike, so that the farthest coordinate is 1 or -1.
 */
function inSquare(places: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
  const least = [Infinity, Infinity]
  const most = [-Infinity, -Infinity]
  for (const [at, value] of places.entries()) {
    least[at % 2] = Math.min(least[at % 2] ?? 0, value)
    most[at % 2] = Math.max(most[at % 2] ?? 0, value)
  }
  const middle = least.map((value, axis) => (value + (most[axis] ?? 0)) / 2)
  const half = Math.max(...most.map((value, axis) => value - (middle[axis] ?? 0)))
  return places.map((value, at) => (half === 0 ? 0 : (value - (middle[at % 2] ?? 0)) / half))
}

let rows: Rows | undefined

async function answer(request: MapRequest): Promise<MapReply> {
  if (request === 'compute') return rows && { places: await rows.map() }
  if ('vectors' in request) {
    for (const vector of request.vectors) rows?.add(receivedVector(vector))
    return undefined
  }
  yieldToOthers()
  rows = new Rows(request)
  return undefined
}

serveRequests<MapRequest, MapReply>(answer, {
  transfer: (reply) => (reply === undefined ? [] : [reply.places.buffer]),
})
