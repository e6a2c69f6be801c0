// A thread for one request, so that all that it holds is gone with it, and it can be stopped at any time.
import { serveRequests } from '../concurrency/serve-requests.ts'
import { yieldToOthers } from '../concurrency/yield-to-others.ts'
import { receivedVector } from '../vectors/encoding.ts'
import { compileKernels } from '../vectors/kernels.ts'
import { AllPairs } from './all-pairs.ts'
import type { ComparisonReply, ComparisonRequest } from './messages.ts'

/** How long the next rows may take, so that the thread hears soon what else is wanted. */
const maxMs = 100

let pairs: AllPairs | undefined
const groups = new Map<string | null, number>()

function groupOf(value: string | null | undefined): number | undefined {
  if (value === undefined) return undefined
  const group = groups.get(value) ?? groups.size
  groups.set(value, group)
  return group
}

function answer(request: ComparisonRequest): ComparisonReply {
  if ('options' in request) {
    yieldToOthers()
    pairs = new AllPairs(compileKernels(), request.options)
  } else if ('rows' in request) {
    for (const { vector, value } of request.rows) pairs?.add(receivedVector(vector), groupOf(value))
  } else if ('startAt' in request) pairs?.start(request.startAt)
  else return pairs?.next(request.maxRows, maxMs)
  return undefined
}

serveRequests<ComparisonRequest, ComparisonReply>(answer)
