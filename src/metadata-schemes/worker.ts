// Compiles and runs the schemas of users. They are untrusted code, so they run in this thread,
// which bears their cost.
import { cpuTime, threadStatFile } from '../concurrency/cpu-time.ts'
import { serveRequests } from '../concurrency/serve-requests.ts'
import { prepareDrafts } from './compile.ts'
import { limitHeap, type SchemeReply, type SchemeRequest, validateLines } from './validate.ts'

const statFile = threadStatFile()
const now = () => cpuTime(statFile) ?? performance.now()

function answer({ scheme, lines, maxViolations }: SchemeRequest): SchemeReply {
  const start = now()
  const { buffer, byteOffset, byteLength } = lines
  const texts = Buffer.from(buffer, byteOffset, byteLength)
  return { ...validateLines(scheme, texts, maxViolations), cpuMs: now() - start }
}

prepareDrafts()
serveRequests(answer, { afterReply: limitHeap })
