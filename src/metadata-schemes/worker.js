// Where the schemas of strangers are compiled and run: what they cost is this thread's own trouble.
// JavaScript, because the runtime loads it by itself, also when the program runs from its sources.
import { parentPort } from 'node:worker_threads'
import { cpuTime, threadStatFile } from '../concurrency/cpu-time.js'
import { prepareDrafts } from './drafts.js'
import { validateLines } from './validate-lines.js'
import { limitHeap } from './validators.js'

/**
 * @typedef {{ scheme: string, lines: Uint8Array<ArrayBuffer>, most: number }} Request The metadata as
 *   JSON texts, each on a line of its own, and how many violations of them are looked for.
 * @typedef {import('./validate-lines.js').Outcome & { ms: number }} Reply
 *   With the processor time that it took.
 */

if (parentPort === null) throw new Error('worker.js runs in a worker thread only')
const port = parentPort
const statFile = threadStatFile()
const now = () => cpuTime(statFile) ?? performance.now()

port.on('message', (/** @type {Request} */ { scheme, lines, most }) => {
  const start = now()
  const { buffer, byteOffset, byteLength } = lines
  const outcome = validateLines(scheme, Buffer.from(buffer, byteOffset, byteLength), most)
  /** @type {Reply} */
  const reply = { ...outcome, ms: now() - start }
  port.postMessage(reply)
  limitHeap()
})
prepareDrafts()
/** @type {import('../concurrency/worker-thread.ts').Ready} */
const ready = { statFile }
port.postMessage(ready)
