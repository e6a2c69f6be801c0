// JavaScript, because the runtime loads it by itself, also when the program runs from its sources.
import { parentPort } from 'node:worker_threads'
import { splitJson } from './split.js'

if (parentPort === null) throw new Error('worker.js runs in a worker thread only')
const port = parentPort

port.on('message', (/** @type {Uint8Array<ArrayBuffer>} */ { buffer, byteOffset, byteLength }) => {
  const split = splitJson(Buffer.from(buffer, byteOffset, byteLength))
  port.postMessage(split, [split.skeleton.buffer, split.floats.buffer])
})
port.postMessage('ready')
