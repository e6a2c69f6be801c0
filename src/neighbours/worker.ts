// A thread for one request, so that all that it holds is gone with it, and it can be stopped at any time.
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { serveRequests } from '../concurrency/serve-requests.ts'
import { receivedVector } from '../vectors/encoding.ts'
import { compileKernels } from '../vectors/kernels.ts'
import { AllPairs } from './all-pairs.ts'
import type { ComparisonReply, ComparisonRequest } from './messages.ts'

/** How long the next rows may take, so that the thread hears soon what else is wanted. */
const maxMs = 100
/** Of the nice values, so that searches go first where processors are short. */
const lowPriority = 10

let pairs: AllPairs | undefined
const groups = new Map<string | null, number>()

/** Linux counts the nice value of each thread by itself; elsewhere the thread runs like the others. */
function yieldToOthers(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), lowPriority)
  } catch {}
}

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
