/** The assembled kernels.wat. A test checks that both agree. */
export const assembled = [
  'AGFzbQEAAAABJwRgBn9/f39/fwBgBHt7e3sBe2AIf39/f319fX8Bf2AFf39/fX8BfwITAQRyb3dzBm1lbW9yeQIBAYCABAMIBwABAgMAAA',
  'EHOQULZG90UHJvZHVjdHMAAAhlc3RpbWF0ZQACCHJlYWNoaW5nAAMGcm90YXRlAAQIbXVsdGlwbHkABQqNFAeaAwIFewZ/IAEgAkECdGoh',
  'EAJAA0AgASAQTw0BIAMgBCABKAIAbGohCyADIAQgASgCBGxqIQwgAyAEIAEoAghsaiENIAMgBCABKAIMbGohDv0MAAAAAAAAAAAAAAAAAA',
  'AAACEG/QwAAAAAAAAAAAAAAAAAAAAAIQf9DAAAAAAAAAAAAAAAAAAAAAAhCP0MAAAAAAAAAAAAAAAAAAAAACEJQQAhDwNAIAAgD0EBdGr9',
  'AAQAIQogBiAKIAsgD2r9AQMA/boB/a4BIQYgByAKIAwgD2r9AQMA/boB/a4BIQcgCCAKIA0gD2r9AQMA/boB/a4BIQggCSAKIA4gD2r9AQ',
  'MA/boB/a4BIQkgACAPQQF0av0ABBAhCiAGIAogCyAPav0BAwj9ugH9rgEhBiAHIAogDCAPav0BAwj9ugH9rgEhByAIIAogDSAPav0BAwj9',
  'ugH9rgEhCCAJIAogDiAPav0BAwj9ugH9rgEhCSAPQRBqIQ8gDyAESQ0ACyAFIAYgByAIIAkQAf0LBAAgBUEQaiEFIAFBEGohAQwACwsLlQ',
  'EBAnsgACAB/Q0AAQIDEBESEwQFBgcUFRYXIAAgAf0NCAkKCxgZGhsMDQ4PHB0eH/2uASEEIAIgA/0NAAECAxAREhMEBQYHFBUWFyACIAP9',
  'DQgJCgsYGRobDA0ODxwdHh/9rgEhBSAEIAX9DQABAgMEBQYHEBESExQVFhcgBCAF/Q0ICQoLDA0ODxgZGhscHR4f/a4BC4gEAgd7CX8gAC',
  'ABQQV0aiESA0AgAigCACEPIAIoAgQhECAC/QkCCCENIAL9CQIMIQ4DQP0MAAAAAAAAAAAAAAAAAAAAACEI/QwAAAAAAAAAAAAAAAAAAAAA',
  'IQkgACERA0AgD/0ABAAhCiAR/QAEACAK/QwPDw8PDw8PDw8PDw8PDw8P/U79DiAR/QAEECAKQQT9bf0O/W4hCyAIIAv9jgEhCCAJIAtBCP',
  '2NAf2OASEJIA9BEGohDyARQSBqIREgESASSQ0ACyAIIAlBCP2LAf2RASEIQQAgCCAJ/Q0AARARAgMSEwQFFBUGBxYX/QsEAEEQIAggCf0N',
  'CAkYGQoLGhsMDRwdDg8eH/0LBABBACEUQQAhEwNAIA8gE0ECdGohFyANIBf9AAQA/eQBIBf9AARAIAT9EyAF/RMgE0EBdP1dAwD9qQH9+g',
  'H95gH95AH95gH95AEhDCAXIAwgDiAX/QAEgAH95gH95AH9CwTAASATQQJ0IAz9CwQgIBQgDCAG/RP9RP2kASATdHIhFCATQQRqIRMgE0EQ',
  'SQ0ACwJAA0AgFEUNASAUaEECdCEWIAcgFUECdGohFyAXIA8gFmooAoACNgIAIBcgFioCIDgCgEAgFUEBaiEVIBQgFEEBa3EhFAwACwsgD0',
  'HAAmohDyAQQQFrIRAgEA0ACyACQRBqIQIgAiADSQ0ACyAVC9EBAgF7BH8gBCEGIAP9EyEFIABBBHQhAANAIAEoAgAhCCABKAIEIQkDQCAI',
  'IABqIQggCP0ABMABIAX9Rv2kASAI/QAE0AEgBf1G/aQBQQR0ciAI/QAE4AEgBf1G/aQBQQh0IAj9AATwASAF/Ub9pAFBDHRyciEHAkADQC',
  'AHRQ0BIAQgCCAHaEECdGooAoACNgIAIARBBGohBCAHIAdBAWtxIQcMAAsLIAhBwAJqIQggCUEBayEJIAkNAAsgAUEQaiEBIAEgAkkNAAsg',
  'BCAGa0ECdguIAwIFfwJ7IAAhCANAIAAhBiAAIANqIQcDQCAGIAb9AAQAIAH9AAQA/eYB/QsEACABQRBqIQEgBkEQaiEGIAYgB0kNAAsgCC',
  'EGIAggBGohBwNAIAb9AAQAIQsgCyAL/Q0AAQIDAAECAwgJCgsICQoL/QwAAIA/AACAvwAAgD8AAIC/IAsgC/0NBAUGBwQFBgcMDQ4PDA0O',
  'D/3mAf3kASELIAYgCyAL/Q0AAQIDBAUGBwABAgMEBQYH/QwAAIA/AACAPwAAgL8AAIC/IAsgC/0NCAkKCwwNDg8ICQoLDA0OD/3mAf3kAf',
  '0LBAAgBkEQaiEGIAYgB0kNAAtBECEJAkADQCAJIARPDQEgCCEGA0AgBiAJaiEKA0AgBv0ABAAhCyAK/QAEACEMIAYgCyAM/eQB/QsEACAK',
  'IAsgDP3lAf0LBAAgBkEQaiEGIApBEGohCiAGIAhrIAlBAWtxDQALIAohBiAGIAdJDQALIAlBAXQhCQwACwsgAEEBdCAFaiAIayEIIAEgAk',
  'kNAAsL2QUCCn8PeyAAIAEgBGxqIQYgAiADIARsaiEHA0AgACAEaiELIAUgA0EDdGohCiACIQwDQCAMIARqIQ0gDSAEaiEOIA4gBGohD/0M',
  'AAAAAAAAAAAAAAAAAAAAACEb/QwAAAAAAAAAAAAAAAAAAAAAIRz9DAAAAAAAAAAAAAAAAAAAAAAhHf0MAAAAAAAAAAAAAAAAAAAAACEeQQ',
  'AhCANA/QwAAAAAAAAAAAAAAAAAAAAAIRP9DAAAAAAAAAAAAAAAAAAAAAAhFP0MAAAAAAAAAAAAAAAAAAAAACEV/QwAAAAAAAAAAAAAAAAA',
  'AAAAIRb9DAAAAAAAAAAAAAAAAAAAAAAhF/0MAAAAAAAAAAAAAAAAAAAAACEY/QwAAAAAAAAAAAAAAAAAAAAAIRn9DAAAAAAAAAAAAAAAAA',
  'AAAAAhGiAIQcABaiEJIAkgBEsEQCAEIQkLA0AgACAIav0ABAAhECALIAhq/QAEACERIAwgCGr9AAQAIRIgEyAQIBL95gH95AEhEyAXIBEg',
  'Ev3mAf3kASEXIA0gCGr9AAQAIRIgFCAQIBL95gH95AEhFCAYIBEgEv3mAf3kASEYIA4gCGr9AAQAIRIgFSAQIBL95gH95AEhFSAZIBEgEv',
  '3mAf3kASEZIA8gCGr9AAQAIRIgFiAQIBL95gH95AEhFiAaIBEgEv3mAf3kASEaIAhBEGohCCAIIAlJDQALIBMgFCAVIBYQBiEQIBsgEP1f',
  '/fABIRsgHCAQIBD9DQgJCgsMDQ4PCAkKCwwNDg/9X/3wASEcIBcgGCAZIBoQBiERIB0gEf1f/fABIR0gHiARIBH9DQgJCgsMDQ4PCAkKCw',
  'wNDg/9X/3wASEeIAggBEkNAAsgBSAb/QsEACAFIBz9CwQQIAogHf0LBAAgCiAe/QsEECAFQSBqIQUgCkEgaiEKIA8gBGohDCAMIAdJDQAL',
  'IAohBSALIARqIQAgACAGSQ0ACwuVAQECeyAAIAH9DQABAgMQERITBAUGBxQVFhcgACAB/Q0ICQoLGBkaGwwNDg8cHR4f/eQBIQQgAiAD/Q',
  '0AAQIDEBESEwQFBgcUFRYXIAIgA/0NCAkKCxgZGhsMDQ4PHB0eH/3kASEFIAQgBf0NAAECAwQFBgcQERITFBUWFyAEIAX9DQgJCgsMDQ4P',
  'GBkaGxwdHh/95AEL',
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
  name: 'dotProducts' | 'estimate' | 'reaching' | 'rotate' | 'multiply',
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
export function enlarged<Numbers extends Float32Array | Float64Array | Int32Array>(
  array: Numbers,
  length: number,
  create: new (length: number) => Numbers,
): Numbers {
  const larger = new create(Math.max(length, Math.ceil(array.length * 1.5), 1_024))
  larger.set(array)
  return larger
}
