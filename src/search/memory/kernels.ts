/** kernels.wat as `npm run kernels` assembles it. A test checks that both agree. */
export const assembled = [
  'AGFzbQEAAAABJgRgBn9/f39/fwBgBHt7e3sBe2AIf39/f319fX8Bf2AFf39/f38AAhMBBHJvd3MGbWVtb3J5AgEBgIAEAwkIAAABAgMAAA',
  'EHQQYLZG90UHJvZHVjdHMAAAdhZGRSb3dzAAEIZXN0aW1hdGUAAwZlbmNvZGUABAZyb3RhdGUABQhtdWx0aXBseQAGCtYVCJoDAgV7Bn8g',
  'ASACQQJ0aiEQAkADQCABIBBPDQEgAyAEIAEoAgBsaiELIAMgBCABKAIEbGohDCADIAQgASgCCGxqIQ0gAyAEIAEoAgxsaiEO/QwAAAAAAA',
  'AAAAAAAAAAAAAAIQb9DAAAAAAAAAAAAAAAAAAAAAAhB/0MAAAAAAAAAAAAAAAAAAAAACEI/QwAAAAAAAAAAAAAAAAAAAAAIQlBACEPA0Ag',
  'ACAPQQF0av0ABAAhCiAGIAogCyAPav0BAwD9ugH9rgEhBiAHIAogDCAPav0BAwD9ugH9rgEhByAIIAogDSAPav0BAwD9ugH9rgEhCCAJIA',
  'ogDiAPav0BAwD9ugH9rgEhCSAAIA9BAXRq/QAEECEKIAYgCiALIA9q/QEDCP26Af2uASEGIAcgCiAMIA9q/QEDCP26Af2uASEHIAggCiAN',
  'IA9q/QEDCP26Af2uASEIIAkgCiAOIA9q/QEDCP26Af2uASEJIA9BEGohDyAPIARJDQALIAUgBiAHIAggCRAC/QsEACAFQRBqIQUgAUEQai',
  'EBDAALCwuDAQIBewN/AkADQCACRQ0BIAX9CQIAIQYgAyAEIAEoAgBsaiEHIAcgBGohCCAAIQkDQCAJIAn9AAQAIAYgB/1cAgD9hwH9pwH9',
  '+gH95gH95AH9CwQAIAlBEGohCSAHQQRqIQcgByAISQ0ACyABQQRqIQEgBUEEaiEFIAJBAWshAgwACwsLlQEBAnsgACAB/Q0AAQIDEBESEw',
  'QFBgcUFRYXIAAgAf0NCAkKCxgZGhsMDQ4PHB0eH/2uASEEIAIgA/0NAAECAxAREhMEBQYHFBUWFyACIAP9DQgJCgsYGRobDA0ODxwdHh/9',
  'rgEhBSAEIAX9DQABAgMEBQYHEBESExQVFhcgBCAF/Q0ICQoLDA0ODxgZGhscHR4f/a4BC9MEAgl7CX/9DA8PDw8PDw8PDw8PDw8PDw8hEC',
  'AAIAFBBXRqIRQDQCACKAIAIREgAigCBCESIAL9CQIIIQ0gAv0JAgwhDgNA/QwAAAAAAAAAAAAAAAAAAAAAIQj9DAAAAAAAAAAAAAAAAAAA',
  'AAAhCSAAIRMDQCAR/QAEACEKIBP9AAQAIAogEP1O/Q4gE/0ABBAgCkEE/Y0BIBD9Tv0O/W4hCyAR/QAEECEKIAsgE/0ABCAgCiAQ/U79Di',
  'AT/QAEMCAKQQT9jQEgEP1O/Q79bv1uIQsgCCAL/Y4BIQggCSALQQj9jQH9jgEhCSARQSBqIREgE0HAAGohEyATIBRJDQALIAggCUEI/YsB',
  '/ZEBIQhBACAIIAn9DQABEBECAxITBAUUFQYHFhf9CwQAQRAgCCAJ/Q0ICRgZCgsaGwwNHB0ODx4f/QsEAEEAIRZBACEVA0AgFUECdCEYIB',
  'EgGGohGSANIBn9AAQA/eQBIBn9AARAIAT9EyAF/RMgFUEBdP1dAwD9qQH9+gH95gH95AH95gH95AEhDCAMIA4gGf0ABIAB/eYB/eQBIQ8g',
  'GCAM/QsEICAYIA/9CwRgIBYgDyAG/RP9Rv2kASAVdHIhFiAVQQRqIRUgFUEQSQ0ACwJAA0AgFkUNASAWaEECdCEYIAcgF0ECdGohGSAZIB',
  'EgGGooAsABNgIAIBkgGCoCIDgCgEAgGSAYKgJgOAKAgAEgF0EBaiEXIBYgFkEBa3EhFgwACwsgEUGAAmohESASQQFrIRIgEg0ACyACQRBq',
  'IQIgAiADSQ0ACyAXC8oBAgd7A38gACACaiEMA0AgAf0ABAAhBiAA/QAEACAG/eUBIQUgBf0MAAAAAAAAAAAAAAAAAAAAAP1EIQcgCCAFIA',
  'X95gH95AEhCCAJIAUgBv3mAf3kASEJIAogBf3gAf3kASEKIAsgBiAG/eEBIAf9Uv3kASELIAf9pAEgDnQgDUEAIA5BAnZrcXIhDSADIA06',
  'AAAgAyAOQQJ0aiEDIA5BBHMhDiABQRBqIQEgAEEQaiEAIAAgDEkNAAsgBCAIIAkgCiALEAf9CwQAC4gDAgV/AnsgACEIA0AgACEGIAAgA2',
  'ohBwNAIAYgBv0ABAAgAf0ABAD95gH9CwQAIAFBEGohASAGQRBqIQYgBiAHSQ0ACyAIIQYgCCAEaiEHA0AgBv0ABAAhCyALIAv9DQABAgMA',
  'AQIDCAkKCwgJCgv9DAAAgD8AAIC/AACAPwAAgL8gCyAL/Q0EBQYHBAUGBwwNDg8MDQ4P/eYB/eQBIQsgBiALIAv9DQABAgMEBQYHAAECAw',
  'QFBgf9DAAAgD8AAIA/AACAvwAAgL8gCyAL/Q0ICQoLDA0ODwgJCgsMDQ4P/eYB/eQB/QsEACAGQRBqIQYgBiAHSQ0AC0EQIQkCQANAIAkg',
  'BE8NASAIIQYDQCAGIAlqIQoDQCAG/QAEACELIAr9AAQAIQwgBiALIAz95AH9CwQAIAogCyAM/eUB/QsEACAGQRBqIQYgCkEQaiEKIAYgCG',
  'sgCUEBa3ENAAsgCiEGIAYgB0kNAAsgCUEBdCEJDAALCyAAQQF0IAVqIAhrIQggASACSQ0ACwvZBQIKfw97IAAgASAEbGohBiACIAMgBGxq',
  'IQcDQCAAIARqIQsgBSADQQN0aiEKIAIhDANAIAwgBGohDSANIARqIQ4gDiAEaiEP/QwAAAAAAAAAAAAAAAAAAAAAIRv9DAAAAAAAAAAAAA',
  'AAAAAAAAAhHP0MAAAAAAAAAAAAAAAAAAAAACEd/QwAAAAAAAAAAAAAAAAAAAAAIR5BACEIA0D9DAAAAAAAAAAAAAAAAAAAAAAhE/0MAAAA',
  'AAAAAAAAAAAAAAAAACEU/QwAAAAAAAAAAAAAAAAAAAAAIRX9DAAAAAAAAAAAAAAAAAAAAAAhFv0MAAAAAAAAAAAAAAAAAAAAACEX/QwAAA',
  'AAAAAAAAAAAAAAAAAAIRj9DAAAAAAAAAAAAAAAAAAAAAAhGf0MAAAAAAAAAAAAAAAAAAAAACEaIAhBwAFqIQkgCSAESwRAIAQhCQsDQCAA',
  'IAhq/QAEACEQIAsgCGr9AAQAIREgDCAIav0ABAAhEiATIBAgEv3mAf3kASETIBcgESAS/eYB/eQBIRcgDSAIav0ABAAhEiAUIBAgEv3mAf',
  '3kASEUIBggESAS/eYB/eQBIRggDiAIav0ABAAhEiAVIBAgEv3mAf3kASEVIBkgESAS/eYB/eQBIRkgDyAIav0ABAAhEiAWIBAgEv3mAf3k',
  'ASEWIBogESAS/eYB/eQBIRogCEEQaiEIIAggCUkNAAsgEyAUIBUgFhAHIRAgGyAQ/V/98AEhGyAcIBAgEP0NCAkKCwwNDg8ICQoLDA0OD/',
  '1f/fABIRwgFyAYIBkgGhAHIREgHSAR/V/98AEhHSAeIBEgEf0NCAkKCwwNDg8ICQoLDA0OD/1f/fABIR4gCCAESQ0ACyAFIBv9CwQAIAUg',
  'HP0LBBAgCiAd/QsEACAKIB79CwQQIAVBIGohBSAKQSBqIQogDyAEaiEMIAwgB0kNAAsgCiEFIAsgBGohACAAIAZJDQALC5UBAQJ7IAAgAf',
  '0NAAECAxAREhMEBQYHFBUWFyAAIAH9DQgJCgsYGRobDA0ODxwdHh/95AEhBCACIAP9DQABAgMQERITBAUGBxQVFhcgAiAD/Q0ICQoLGBka',
  'GwwNDg8cHR4f/eQBIQUgBCAF/Q0AAQIDBAUGBxAREhMUFRYXIAQgBf0NCAkKCwwNDg8YGRobHB0eH/3kAQs=',
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

const bytes = () => Buffer.from(assembled, 'base64')

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

/** A copy with room for so many numbers and some more. */
export function enlarged<Numbers extends Float32Array | Float64Array | Int32Array | Uint32Array>(
  array: Numbers,
  length: number,
  create: new (length: number) => Numbers,
): Numbers {
  const larger = new create(Math.max(length, Math.ceil(array.length * 1.5), 1_024))
  larger.set(array)
  return larger
}
