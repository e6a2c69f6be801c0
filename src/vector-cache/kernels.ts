/** kernels.wat, assembled; a test holds the two together. */
export const assembled = [
  'AGFzbQEAAAABGgNgBn9/f39/fwBgBHt7e3sBe2AFf39/f38AAhMBBHJvd3MGbWVtb3J5AgEBgIAEAwQDAAECBx0CC2RvdF',
  'Byb2R1Y3RzAAALc3VtT2ZUYWJsZXMAAgqFBgOaAwIFewZ/IAEgAkECdGohEAJAA0AgASAQTw0BIAMgBCABKAIAbGohCyAD',
  'IAQgASgCBGxqIQwgAyAEIAEoAghsaiENIAMgBCABKAIMbGohDv0MAAAAAAAAAAAAAAAAAAAAACEG/QwAAAAAAAAAAAAAAA',
  'AAAAAAIQf9DAAAAAAAAAAAAAAAAAAAAAAhCP0MAAAAAAAAAAAAAAAAAAAAACEJQQAhDwNAIAAgD0EBdGr9AAQAIQogBiAK',
  'IAsgD2r9AQMA/boB/a4BIQYgByAKIAwgD2r9AQMA/boB/a4BIQcgCCAKIA0gD2r9AQMA/boB/a4BIQggCSAKIA4gD2r9AQ',
  'MA/boB/a4BIQkgACAPQQF0av0ABBAhCiAGIAogCyAPav0BAwj9ugH9rgEhBiAHIAogDCAPav0BAwj9ugH9rgEhByAIIAog',
  'DSAPav0BAwj9ugH9rgEhCCAJIAogDiAPav0BAwj9ugH9rgEhCSAPQRBqIQ8gDyAESQ0ACyAFIAYgByAIIAkQAf0LBAAgBU',
  'EQaiEFIAFBEGohAQwACwsLlQEBAnsgACAB/Q0AAQIDEBESEwQFBgcUFRYXIAAgAf0NCAkKCxgZGhsMDQ4PHB0eH/2uASEE',
  'IAIgA/0NAAECAxAREhMEBQYHFBUWFyACIAP9DQgJCgsYGRobDA0ODxwdHh/9rgEhBSAEIAX9DQABAgMEBQYHEBESExQVFh',
  'cgBCAF/Q0ICQoLDA0ODxgZGhscHR4f/a4BC88BAgR7An8gACACQQV0aiEKAkADQCADRQ0B/QwAAAAAAAAAAAAAAAAAAAAA',
  'IQX9DAAAAAAAAAAAAAAAAAAAAAAhBiAAIQkDQCAB/QAEACEHIAn9AAQAIAf9DA8PDw8PDw8PDw8PDw8PDw/9Tv0OIAn9AA',
  'QQIAdBBP1t/Q79biEIIAUgCP2JAf2OASEFIAYgCP2KAf2OASEGIAFBEGohASAJQSBqIQkgCSAKSQ0ACyAEIAX9CwQAIAQg',
  'Bv0LBBAgBEEgaiEEIANBAWshAwwACwsL',
].join('')

/** What the module offers; its source says what each of the addresses must hold. */
export type DotProducts = (
  query: number,
  slots: number,
  count: number,
  rows: number,
  stride: number,
  products: number,
) => void
export type SumOfTables = (
  tables: number,
  codes: number,
  bytes: number,
  blocks: number,
  sums: number,
) => void

const bytes = () => Buffer.from(assembled, 'base64')

/** Whether WebAssembly has the instructions for several numbers at once here. */
export const canCompile = () => WebAssembly.validate(bytes())

/** @throws CompileError where it lacks them */
export const compileKernels = () => new WebAssembly.Module(bytes())

const pageBytes = 65_536
/** 4 GB. */
const maxPages = 65_536

export const newMemory = () => new WebAssembly.Memory({ initial: 1, maximum: maxPages })

/** @throws RangeError when there is no such memory */
export function grow(memory: WebAssembly.Memory, bytes: number): void {
  const present = memory.buffer.byteLength
  // In steps of an eighth: growing costs a call, and reserves what is not needed yet.
  const wanted = Math.max(bytes, Math.min(present * 1.125, maxPages * pageBytes))
  memory.grow(Math.ceil((wanted - present) / pageBytes))
}

/** The same numbers with room for more. */
export function enlarged(array: Float32Array, length: number) {
  const larger = new Float32Array(length)
  larger.set(array)
  return larger
}
