/** The assembled kernels.wat. A test checks that both agree. */
export const assembled = [
  'AGFzbQEAAAABKwRgBn9/f39/fwBgBHt7e3sBe2ALf39/f399fX19f38Bf2AGf39/fX9/AX8CEwEEcm93cwZtZW1vcnkCAQGAgAQDBw',
  'YAAQIDAAEHMAQLZG90UHJvZHVjdHMAAAhlc3RpbWF0ZQACCHJlYWNoaW5nAAMIbXVsdGlwbHkABArkEAaaAwIFewZ/IAEgAkECdGoh',
  'EAJAA0AgASAQTw0BIAMgBCABKAIAbGohCyADIAQgASgCBGxqIQwgAyAEIAEoAghsaiENIAMgBCABKAIMbGohDv0MAAAAAAAAAAAAAA',
  'AAAAAAACEG/QwAAAAAAAAAAAAAAAAAAAAAIQf9DAAAAAAAAAAAAAAAAAAAAAAhCP0MAAAAAAAAAAAAAAAAAAAAACEJQQAhDwNAIAAg',
  'D0EBdGr9AAQAIQogBiAKIAsgD2r9AQMA/boB/a4BIQYgByAKIAwgD2r9AQMA/boB/a4BIQcgCCAKIA0gD2r9AQMA/boB/a4BIQggCS',
  'AKIA4gD2r9AQMA/boB/a4BIQkgACAPQQF0av0ABBAhCiAGIAogCyAPav0BAwj9ugH9rgEhBiAHIAogDCAPav0BAwj9ugH9rgEhByAI',
  'IAogDSAPav0BAwj9ugH9rgEhCCAJIAogDiAPav0BAwj9ugH9rgEhCSAPQRBqIQ8gDyAESQ0ACyAFIAYgByAIIAkQAf0LBAAgBUEQai',
  'EFIAFBEGohAQwACwsLlQEBAnsgACAB/Q0AAQIDEBESEwQFBgcUFRYXIAAgAf0NCAkKCxgZGhsMDQ4PHB0eH/2uASEEIAIgA/0NAAEC',
  'AxAREhMEBQYHFBUWFyACIAP9DQgJCgsYGRobDA0ODxwdHh/9rgEhBSAEIAX9DQABAgMEBQYHEBESExQVFhcgBCAF/Q0ICQoLDA0ODx',
  'gZGhscHR4f/a4BC40EAgV7CH8gAiABQQt0aiEQIAAgAUEFdGohEgNAIAQvAQAEQP0MAAAAAAAAAAAAAAAAAAAAACEL/QwAAAAAAAAA',
  'AAAAAAAAAAAAIQwgACERIAIhFwNAIBf9AAQAIQ0gEf0ABAAgDf0MDw8PDw8PDw8PDw8PDw8PD/1O/Q4gEf0ABBAgDUEE/W39Dv1uIQ',
  '4gCyAO/Y4BIQsgDCAOQQj9jQH9jgEhDCAXQRBqIRcgEUEgaiERIBEgEkkNAAsgCyAMQQj9iwH9kQEhC0EAIAsgDP0NAAEQEQIDEhME',
  'BRQVBgcWF/0LBABBECALIAz9DQgJGBkKCxobDA0cHQ4PHh/9CwQAQQAhFEEAIRMDQCAQIBNBAnRqIRcgF/0ABAAgF/0ABIBAIAX9Ey',
  'AG/RMgE0EBdP1dAwD9qQH9+gH95gH95AH95gH95AEhDyAXIA8gB/0TIBf9AASAgAH95gH95AH9CwSAwAEgE0ECdCAP/QsEICAUIA8g',
  'CP0T/UT9pAEgE3RyIRQgE0EEaiETIBNBEEkNAAsgFCAELwEAcSEUAkADQCAURQ0BIBRoIRYgCiAVQQJ0aiEXIBcgCSAWajYCACAXIB',
  'ZBAnQqAiA4AoBAIBVBAWohFSAUIBRBAWtxIRQMAAsLCyACIAFBBHRqIQIgEEHAAGohECAEQQJqIQQgCUEQaiEJIANBAWshAyADDQAL',
  'IBULrQECAXsCfyAFIQcgA/0TIQYDQCACLwEAIAD9AAQAIAb9Rv2kASAA/QAEECAG/Ub9pAFBBHRyIAD9AAQgIAb9Rv2kAUEIdCAA/Q',
  'AEMCAG/Ub9pAFBDHRycnEhCAJAA0AgCEUNASAFIAQgCGhqNgIAIAVBBGohBSAIIAhBAWtxIQgMAAsLIABBwABqIQAgAkECaiECIARB',
  'EGohBCABQQFrIQEgAQ0ACyAFIAdrQQJ2C9kFAgp/D3sgACABIARsaiEGIAIgAyAEbGohBwNAIAAgBGohCyAFIANBA3RqIQogAiEMA0',
  'AgDCAEaiENIA0gBGohDiAOIARqIQ/9DAAAAAAAAAAAAAAAAAAAAAAhG/0MAAAAAAAAAAAAAAAAAAAAACEc/QwAAAAAAAAAAAAAAAAA',
  'AAAAIR39DAAAAAAAAAAAAAAAAAAAAAAhHkEAIQgDQP0MAAAAAAAAAAAAAAAAAAAAACET/QwAAAAAAAAAAAAAAAAAAAAAIRT9DAAAAA',
  'AAAAAAAAAAAAAAAAAhFf0MAAAAAAAAAAAAAAAAAAAAACEW/QwAAAAAAAAAAAAAAAAAAAAAIRf9DAAAAAAAAAAAAAAAAAAAAAAhGP0M',
  'AAAAAAAAAAAAAAAAAAAAACEZ/QwAAAAAAAAAAAAAAAAAAAAAIRogCEHAAWohCSAJIARLBEAgBCEJCwNAIAAgCGr9AAQAIRAgCyAIav',
  '0ABAAhESAMIAhq/QAEACESIBMgECAS/eYB/eQBIRMgFyARIBL95gH95AEhFyANIAhq/QAEACESIBQgECAS/eYB/eQBIRQgGCARIBL9',
  '5gH95AEhGCAOIAhq/QAEACESIBUgECAS/eYB/eQBIRUgGSARIBL95gH95AEhGSAPIAhq/QAEACESIBYgECAS/eYB/eQBIRYgGiARIB',
  'L95gH95AEhGiAIQRBqIQggCCAJSQ0ACyATIBQgFSAWEAUhECAbIBD9X/3wASEbIBwgECAQ/Q0ICQoLDA0ODwgJCgsMDQ4P/V/98AEh',
  'HCAXIBggGSAaEAUhESAdIBH9X/3wASEdIB4gESAR/Q0ICQoLDA0ODwgJCgsMDQ4P/V/98AEhHiAIIARJDQALIAUgG/0LBAAgBSAc/Q',
  'sEECAKIB39CwQAIAogHv0LBBAgBUEgaiEFIApBIGohCiAPIARqIQwgDCAHSQ0ACyAKIQUgCyAEaiEAIAAgBkkNAAsLlQEBAnsgACAB',
  '/Q0AAQIDEBESEwQFBgcUFRYXIAAgAf0NCAkKCxgZGhsMDQ4PHB0eH/3kASEEIAIgA/0NAAECAxAREhMEBQYHFBUWFyACIAP9DQgJCg',
  'sYGRobDA0ODxwdHh/95AEhBSAEIAX9DQABAgMEBQYHEBESExQVFhcgBCAF/Q0ICQoLDA0ODxgZGhscHR4f/eQBCw==',
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
