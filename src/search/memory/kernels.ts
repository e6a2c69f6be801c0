/** kernels.wat as `npm run kernels` assembles it. A test checks that both agree. */
export const assembled = [
  'AGFzbQEAAAABJgRgBn9/f39/fwBgBHt7e3sBe2AIf39/f319fX8Bf2AFf39/f38AAhMBBHJvd3MGbWVtb3J5AgEBgIAEAwkIAAABAgMAAA',
  'EHQQYLZG90UHJvZHVjdHMAAAdhZGRSb3dzAAEIZXN0aW1hdGUAAwZlbmNvZGUABAZyb3RhdGUABQhtdWx0aXBseQAGCtoVCJoDAgV7Bn8g',
  'ASACQQJ0aiEQAkADQCABIBBPDQEgAyAEIAEoAgBsaiELIAMgBCABKAIEbGohDCADIAQgASgCCGxqIQ0gAyAEIAEoAgxsaiEO/QwAAAAAAA',
  'AAAAAAAAAAAAAAIQb9DAAAAAAAAAAAAAAAAAAAAAAhB/0MAAAAAAAAAAAAAAAAAAAAACEI/QwAAAAAAAAAAAAAAAAAAAAAIQlBACEPA0Ag',
  'ACAPQQF0av0ABAAhCiAGIAogCyAPav0BAwD9ugH9rgEhBiAHIAogDCAPav0BAwD9ugH9rgEhByAIIAogDSAPav0BAwD9ugH9rgEhCCAJIA',
  'ogDiAPav0BAwD9ugH9rgEhCSAAIA9BAXRq/QAEECEKIAYgCiALIA9q/QEDCP26Af2uASEGIAcgCiAMIA9q/QEDCP26Af2uASEHIAggCiAN',
  'IA9q/QEDCP26Af2uASEIIAkgCiAOIA9q/QEDCP26Af2uASEJIA9BEGohDyAPIARJDQALIAUgBiAHIAggCRAC/QsEACAFQRBqIQUgAUEQai',
  'EBDAALCwuDAQIBewN/AkADQCACRQ0BIAX9CQIAIQYgAyAEIAEoAgBsaiEHIAcgBGohCCAAIQkDQCAJIAn9AAQAIAYgB/1cAgD9hwH9pwH9',
  '+gH95gH95AH9CwQAIAlBEGohCSAHQQRqIQcgByAISQ0ACyABQQRqIQEgBUEEaiEFIAJBAWshAgwACwsLlQEBAnsgACAB/Q0AAQIDEBESEw',
  'QFBgcUFRYXIAAgAf0NCAkKCxgZGhsMDQ4PHB0eH/2uASEEIAIgA/0NAAECAxAREhMEBQYHFBUWFyACIAP9DQgJCgsYGRobDA0ODxwdHh/9',
  'rgEhBSAEIAX9DQABAgMEBQYHEBESExQVFhcgBCAF/Q0ICQoLDA0ODxgZGhscHR4f/a4BC9cEAgl7CX/9DA8PDw8PDw8PDw8PDw8PDw8hEC',
  'AAIAFBBXRqIRQDQCACKAIAIREgAigCBCESIAL9CQIIIQ0gAv0JAgwhDgNA/QwAAAAAAAAAAAAAAAAAAAAAIQj9DAAAAAAAAAAAAAAAAAAA',
  'AAAhCSAAIRMDQCAR/QAEACEKIBP9AAQAIAogEP1O/YACIBP9AAQQIApBBP2NASAQ/U79gAL9biELIBH9AAQQIQogCyAT/QAEICAKIBD9Tv',
  '2AAiAT/QAEMCAKQQT9jQEgEP1O/YAC/W79biELIAggC/2OASEIIAkgC0EI/Y0B/Y4BIQkgEUEgaiERIBNBwABqIRMgEyAUSQ0ACyAIIAlB',
  'CP2LAf2RASEIQQAgCCAJ/Q0AARARAgMSEwQFFBUGBxYX/QsEAEEQIAggCf0NCAkYGQoLGhsMDRwdDg8eH/0LBABBACEWQQAhFQNAIBVBAn',
  'QhGCARIBhqIRkgDSAZ/QAEAP3kASAZ/QAEQCAE/RMgBf0TIBVBAXT9XQMA/akB/foB/eYB/eQB/eYB/eQBIQwgDCAOIBn9AASAAf3mAf3k',
  'ASEPIBggDP0LBCAgGCAP/QsEYCAWIA8gBv0T/Ub9pAEgFXRyIRYgFUEEaiEVIBVBEEkNAAsCQANAIBZFDQEgFmhBAnQhGCAHIBdBAnRqIR',
  'kgGSARIBhqKALAATYCACAZIBgqAiA4AoBAIBkgGCoCYDgCgIABIBdBAWohFyAWIBZBAWtxIRYMAAsLIBFBgAJqIREgEkEBayESIBINAAsg',
  'AkEQaiECIAIgA0kNAAsgFwvKAQIHewN/IAAgAmohDANAIAH9AAQAIQYgAP0ABAAgBv3lASEFIAX9DAAAAAAAAAAAAAAAAAAAAAD9RCEHIA',
  'ggBSAF/eYB/eQBIQggCSAFIAb95gH95AEhCSAKIAX94AH95AEhCiALIAYgBv3hASAH/VL95AEhCyAH/aQBIA50IA1BACAOQQJ2a3FyIQ0g',
  'AyANOgAAIAMgDkECdGohAyAOQQRzIQ4gAUEQaiEBIABBEGohACAAIAxJDQALIAQgCCAJIAogCxAH/QsEAAuIAwIFfwJ7IAAhCANAIAAhBi',
  'AAIANqIQcDQCAGIAb9AAQAIAH9AAQA/eYB/QsEACABQRBqIQEgBkEQaiEGIAYgB0kNAAsgCCEGIAggBGohBwNAIAb9AAQAIQsgCyAL/Q0A',
  'AQIDAAECAwgJCgsICQoL/QwAAIA/AACAvwAAgD8AAIC/IAsgC/0NBAUGBwQFBgcMDQ4PDA0OD/3mAf3kASELIAYgCyAL/Q0AAQIDBAUGBw',
  'ABAgMEBQYH/QwAAIA/AACAPwAAgL8AAIC/IAsgC/0NCAkKCwwNDg8ICQoLDA0OD/3mAf3kAf0LBAAgBkEQaiEGIAYgB0kNAAtBECEJAkAD',
  'QCAJIARPDQEgCCEGA0AgBiAJaiEKA0AgBv0ABAAhCyAK/QAEACEMIAYgCyAM/eQB/QsEACAKIAsgDP3lAf0LBAAgBkEQaiEGIApBEGohCi',
  'AGIAhrIAlBAWtxDQALIAohBiAGIAdJDQALIAlBAXQhCQwACwsgAEEBdCAFaiAIayEIIAEgAkkNAAsL2QUCCn8PeyAAIAEgBGxqIQYgAiAD',
  'IARsaiEHA0AgACAEaiELIAUgA0EDdGohCiACIQwDQCAMIARqIQ0gDSAEaiEOIA4gBGohD/0MAAAAAAAAAAAAAAAAAAAAACEb/QwAAAAAAA',
  'AAAAAAAAAAAAAAIRz9DAAAAAAAAAAAAAAAAAAAAAAhHf0MAAAAAAAAAAAAAAAAAAAAACEeQQAhCANA/QwAAAAAAAAAAAAAAAAAAAAAIRP9',
  'DAAAAAAAAAAAAAAAAAAAAAAhFP0MAAAAAAAAAAAAAAAAAAAAACEV/QwAAAAAAAAAAAAAAAAAAAAAIRb9DAAAAAAAAAAAAAAAAAAAAAAhF/',
  '0MAAAAAAAAAAAAAAAAAAAAACEY/QwAAAAAAAAAAAAAAAAAAAAAIRn9DAAAAAAAAAAAAAAAAAAAAAAhGiAIQcABaiEJIAkgBEsEQCAEIQkL',
  'A0AgACAIav0ABAAhECALIAhq/QAEACERIAwgCGr9AAQAIRIgEyAQIBL95gH95AEhEyAXIBEgEv3mAf3kASEXIA0gCGr9AAQAIRIgFCAQIB',
  'L95gH95AEhFCAYIBEgEv3mAf3kASEYIA4gCGr9AAQAIRIgFSAQIBL95gH95AEhFSAZIBEgEv3mAf3kASEZIA8gCGr9AAQAIRIgFiAQIBL9',
  '5gH95AEhFiAaIBEgEv3mAf3kASEaIAhBEGohCCAIIAlJDQALIBMgFCAVIBYQByEQIBsgEP1f/fABIRsgHCAQIBD9DQgJCgsMDQ4PCAkKCw',
  'wNDg/9X/3wASEcIBcgGCAZIBoQByERIB0gEf1f/fABIR0gHiARIBH9DQgJCgsMDQ4PCAkKCwwNDg/9X/3wASEeIAggBEkNAAsgBSAb/QsE',
  'ACAFIBz9CwQQIAogHf0LBAAgCiAe/QsEECAFQSBqIQUgCkEgaiEKIA8gBGohDCAMIAdJDQALIAohBSALIARqIQAgACAGSQ0ACwuVAQECey',
  'AAIAH9DQABAgMQERITBAUGBxQVFhcgACAB/Q0ICQoLGBkaGwwNDg8cHR4f/eQBIQQgAiAD/Q0AAQIDEBESEwQFBgcUFRYXIAIgA/0NCAkK',
  'CxgZGhsMDQ4PHB0eH/3kASEFIAQgBf0NAAECAwQFBgcQERITFBUWFyAEIAX9DQgJCgsMDQ4PGBkaGxwdHh/95AEL',
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
type Kernel = (...values: number[]) => number

/** Where there is no relaxed SIMD (Node 20), its swizzle becomes the usual one, with which searches take 1.1 times as long. */
function bytes(): Buffer<ArrayBuffer> {
  const relaxed = Buffer.from(assembled, 'base64')
  if (WebAssembly.validate(relaxed)) return relaxed
  const replaced = relaxed.toString('latin1').replaceAll('\xfd\x80\x02', '\xfd\x8e\x00')
  return Buffer.from(replaced, 'latin1')
}

/** Whether WebAssembly supports SIMD here. */
export const canCompile = () => WebAssembly.validate(bytes())

/** On first use, since not every thread needs them. */
let compiled: WebAssembly.Module | undefined

/** A function of the module that works on this memory. @throws CompileError if SIMD is missing */
export function kernelOn(
  memory: WebAssembly.Memory,
  name: 'dotProducts' | 'addRows' | 'estimate' | 'encode' | 'rotate' | 'multiply',
): Kernel {
  compiled ??= new WebAssembly.Module(bytes())
  const { [name]: kernel } = new WebAssembly.Instance(compiled, { rows: { memory } }).exports
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

/** A copy with room for so many numbers and some more. @param least how many it has room for at least */
export function enlarged<Numbers extends Float32Array | Float64Array | Int32Array | Uint32Array>(
  array: Numbers,
  length: number,
  create: new (length: number) => Numbers,
  least = 1_024,
): Numbers {
  const larger = new create(Math.max(length, Math.ceil(array.length * 1.5), least))
  larger.set(array)
  return larger
}
