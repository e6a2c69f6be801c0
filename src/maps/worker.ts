// A thread for one map, so that all that it holds is gone with it, and it can be stopped at any time.
import { serveRequests } from '../concurrency/serve-requests.ts'
import { yieldToOthers } from '../concurrency/yield-to-others.ts'
import { receivedVector } from '../vectors/encoding.ts'
import { compileKernels } from '../vectors/kernels.ts'
import { computeMap } from './compute-map.ts'
import { Matrix } from './matrix.ts'
import type { MapReply, MapRequest } from './messages.ts'
import { Reduction, reducedDimensions } from './reduction.ts'

/** After which it tells how far it is. */
const sliceMs = 200

const kernels = compileKernels()
let matrix: Matrix | undefined
let reduction: Reduction | undefined
let steps: ReturnType<typeof computeMap> | undefined

function answer(request: MapRequest): MapReply {
  if (request === 'compute') return goOn()
  if ('vectors' in request) {
    for (const vector of request.vectors) {
      const values = receivedVector(vector)
      matrix?.add(reduction?.of(values) ?? values)
    }
    return 0
  }
  yieldToOthers()
  const { dimensions, sample } = request
  reduction = sample && new Reduction(kernels, sample.map(receivedVector), dimensions)
  matrix = new Matrix(
    kernels,
    reduction === undefined ? dimensions : Math.min(dimensions, reducedDimensions),
  )
  return 0
}

function goOn(): MapReply {
  if (matrix === undefined) throw new Error('there are no vectors')
  steps ??= computeMap(matrix)
  const begun = performance.now()
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return { places: value }
    if (performance.now() - begun >= sliceMs) return value
  }
}

serveRequests<MapRequest, MapReply>(answer, {
  transfer: (reply) => (typeof reply === 'number' ? [] : [reply.places.buffer]),
})
