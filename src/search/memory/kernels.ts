/** The assembled kernels.wat. A test checks that both agree. */
export const assembled = [
  'AGFzbQEAAAABKwRgBn9/f39/fwBgBHt7e3sBe2ALf39/f399fX19f38Bf2AGf39/fX9/AX8CEwEEcm93cwZtZW1vcnkCAQGAgA',
  'QDBwYAAQIDAAEHMAQLZG90UHJvZHVjdHMAAAhlc3RpbWF0ZQACCHJlYWNoaW5nAAMIbXVsdGlwbHkABAqKDwaaAwIFewZ/IAEg',
  'AkECdGohEAJAA0AgASAQTw0BIAMgBCABKAIAbGohCyADIAQgASgCBGxqIQwgAyAEIAEoAghsaiENIAMgBCABKAIMbGohDv0MAA',
  'AAAAAAAAAAAAAAAAAAACEG/QwAAAAAAAAAAAAAAAAAAAAAIQf9DAAAAAAAAAAAAAAAAAAAAAAhCP0MAAAAAAAAAAAAAAAAAAAA',
  'ACEJQQAhDwNAIAAgD0EBdGr9AAQAIQogBiAKIAsgD2r9AQMA/boB/a4BIQYgByAKIAwgD2r9AQMA/boB/a4BIQcgCCAKIA0gD2',
  'r9AQMA/boB/a4BIQggCSAKIA4gD2r9AQMA/boB/a4BIQkgACAPQQF0av0ABBAhCiAGIAogCyAPav0BAwj9ugH9rgEhBiAHIAog',
  'DCAPav0BAwj9ugH9rgEhByAIIAogDSAPav0BAwj9ugH9rgEhCCAJIAogDiAPav0BAwj9ugH9rgEhCSAPQRBqIQ8gDyAESQ0ACy',
  'AFIAYgByAIIAkQAf0LBAAgBUEQaiEFIAFBEGohAQwACwsLlQEBAnsgACAB/Q0AAQIDEBESEwQFBgcUFRYXIAAgAf0NCAkKCxgZ',
  'GhsMDQ4PHB0eH/2uASEEIAIgA/0NAAECAxAREhMEBQYHFBUWFyACIAP9DQgJCgsYGRobDA0ODxwdHh/9rgEhBSAEIAX9DQABAg',
  'MEBQYHEBESExQVFhcgBCAF/Q0ICQoLDA0ODxgZGhscHR4f/a4BC40EAgV7CH8gAiABQQt0aiEQIAAgAUEFdGohEgNAIAQvAQAE',
  'QP0MAAAAAAAAAAAAAAAAAAAAACEL/QwAAAAAAAAAAAAAAAAAAAAAIQwgACERIAIhFwNAIBf9AAQAIQ0gEf0ABAAgDf0MDw8PDw',
  '8PDw8PDw8PDw8PD/1O/Q4gEf0ABBAgDUEE/W39Dv1uIQ4gCyAO/Y4BIQsgDCAOQQj9jQH9jgEhDCAXQRBqIRcgEUEgaiERIBEg',
  'EkkNAAsgCyAMQQj9iwH9kQEhC0EAIAsgDP0NAAEQEQIDEhMEBRQVBgcWF/0LBABBECALIAz9DQgJGBkKCxobDA0cHQ4PHh/9Cw',
  'QAQQAhFEEAIRMDQCAQIBNBAnRqIRcgF/0ABAAgF/0ABIBAIAX9EyAG/RMgE0EBdP1dAwD9qQH9+gH95gH95AH95gH95AEhDyAX',
  'IA8gB/0TIBf9AASAgAH95gH95AH9CwSAwAEgE0ECdCAP/QsEICAUIA8gCP0T/UT9pAEgE3RyIRQgE0EEaiETIBNBEEkNAAsgFC',
  'AELwEAcSEUAkADQCAURQ0BIBRoIRYgCiAVQQJ0aiEXIBcgCSAWajYCACAXIBZBAnQqAiA4AoBAIBVBAWohFSAUIBRBAWtxIRQM',
  'AAsLCyACIAFBBHRqIQIgEEHAAGohECAEQQJqIQQgCUEQaiEJIANBAWshAyADDQALIBULrQECAXsCfyAFIQcgA/0TIQYDQCACLw',
  'EAIAD9AAQAIAb9Rv2kASAA/QAEECAG/Ub9pAFBBHRyIAD9AAQgIAb9Rv2kAUEIdCAA/QAEMCAG/Ub9pAFBDHRycnEhCAJAA0Ag',
  'CEUNASAFIAQgCGhqNgIAIAVBBGohBSAIIAhBAWtxIQgMAAsLIABBwABqIQAgAkECaiECIARBEGohBCABQQFrIQEgAQ0ACyAFIA',
  'drQQJ2C/8DAgl/C3sgACABIARsaiEGIAIgAyAEbGohBwNAIAAgBGohCiAFIANBAnRqIQkgAiELA0AgCyAEaiEMIAwgBGohDSAN',
  'IARqIQ79DAAAAAAAAAAAAAAAAAAAAAAhEv0MAAAAAAAAAAAAAAAAAAAAACET/QwAAAAAAAAAAAAAAAAAAAAAIRT9DAAAAAAAAA',
  'AAAAAAAAAAAAAhFf0MAAAAAAAAAAAAAAAAAAAAACEW/QwAAAAAAAAAAAAAAAAAAAAAIRf9DAAAAAAAAAAAAAAAAAAAAAAhGP0M',
  'AAAAAAAAAAAAAAAAAAAAACEZQQAhCANAIAAgCGr9AAQAIQ8gCiAIav0ABAAhECALIAhq/QAEACERIBIgDyAR/eYB/eQBIRIgFi',
  'AQIBH95gH95AEhFiAMIAhq/QAEACERIBMgDyAR/eYB/eQBIRMgFyAQIBH95gH95AEhFyANIAhq/QAEACERIBQgDyAR/eYB/eQB',
  'IRQgGCAQIBH95gH95AEhGCAOIAhq/QAEACERIBUgDyAR/eYB/eQBIRUgGSAQIBH95gH95AEhGSAIQRBqIQggCCAESQ0ACyAFIB',
  'IgEyAUIBUQBf0LBAAgCSAWIBcgGCAZEAX9CwQAIAVBEGohBSAJQRBqIQkgDiAEaiELIAsgB0kNAAsgCSEFIAogBGohACAAIAZJ',
  'DQALC5UBAQJ7IAAgAf0NAAECAxAREhMEBQYHFBUWFyAAIAH9DQgJCgsYGRobDA0ODxwdHh/95AEhBCACIAP9DQABAgMQERITBA',
  'UGBxQVFhcgAiAD/Q0ICQoLGBkaGwwNDg8cHR4f/eQBIQUgBCAF/Q0AAQIDBAUGBxAREhMUFRYXIAQgBf0NCAkKCwwNDg8YGRob',
  'HB0eH/3kAQs=',
].join('')

/** The part of WebAssembly used here, because TypeScript declares it for browsers only. */
declare global {
  namespace WebAssembly {
    function validate(bytes: Uint8Array): boolean

    class Module {
      constructor(bytes: Uint8Array)
    }

    class Memory {
      constructor(descriptor: { initial: number; maximum: number })
      readonly buffer: ArrayBuffer
      /** @param pages of 64 KB @throws RangeError */
      grow(pages: number): number
    }

    class Instance {
      constructor(module: Module, imports: { rows: { memory: Memory } })
      readonly exports: Readonly<Record<string, (...values: number[]) => number>>
    }
  }
}

/** A function of the module. kernels.wat says what each address must hold. */
export type Kernel = (...values: number[]) => number

const bytes = () => Buffer.from(assembled, 'base64')

/** Whether WebAssembly supports SIMD here. */
export const canCompile = () => WebAssembly.validate(bytes())

/** @throws CompileError if SIMD is missing */
export const compileKernels = () => new WebAssembly.Module(bytes())

/** A function of the module that works on this memory. */
export function kernelOn(
  memory: WebAssembly.Memory,
  module: WebAssembly.Module,
  name: 'dotProducts' | 'estimate' | 'reaching' | 'multiply',
): Kernel {
  const { [name]: kernel } = new WebAssembly.Instance(module, { rows: { memory } }).exports
  if (kernel === undefined) throw new Error(`the kernels have no ${name}`)
  return kernel
}

const pageBytes = 65_536
const maxPages = 65_536
/** 4 GB. */
export const maxMemoryBytes = maxPages * pageBytes

export const newMemory = () => new WebAssembly.Memory({ initial: 1, maximum: maxPages })

/**
 * Invalidates views of the memory.
 * @throws RangeError if there is not enough memory
 */
export function grow(memory: WebAssembly.Memory, bytes: number): void {
  const present = memory.buffer.byteLength
  // In steps of at least an eighth: each call costs time, but larger steps reserve unneeded memory.
  const wanted = Math.max(bytes, Math.min(present * 1.125, maxMemoryBytes))
  memory.grow(Math.ceil((wanted - present) / pageBytes))
}

/** A copy with room for so many numbers and some more. */
export function enlarged(array: Float32Array, length: number) {
  const larger = new Float32Array(Math.max(length, Math.ceil(array.length * 1.5), 1_024))
  larger.set(array)
  return larger
}
