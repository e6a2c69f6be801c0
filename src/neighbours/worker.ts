// Each request has a thread of its own, so that it can be stopped at any time, which frees its
// memory.
import { serveRequests } from '../concurrency/serve-requests.ts'
import { yieldToOthers } from '../concurrency/yielding.ts'
import { receivedVector } from '../vectors/encoding.ts'
import { AllPairs } from './all-pairs.ts'
import type { ComparisonReply, ComparisonRequest } from './exact.ts'

/** How long the next rows may take. The thread reads no other message before. */
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
    pairs = new AllPairs(request.options)
  } else if ('rows' in request) {
    for (const { vector, value } of request.rows) pairs?.add(receivedVector(vector), groupOf(value))
  } else if ('startAt' in request) pairs?.start(request.startAt)
  else return pairs?.next(request.maxRows, maxMs)
  return undefined
}

serveRequests<ComparisonRequest, ComparisonReply>(answer)
