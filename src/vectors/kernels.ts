/** kernels.wat, assembled; a test holds the two together. */
export const assembled = [
  'AGFzbQEAAAABGgNgBn9/f39/fwBgBHt7e3sBe2AFf39/f38AAhMBBHJvd3MGbWVtb3J5AgEBgIAEAwYFAAECAAEHKAMLZG',
  '90UHJvZHVjdHMAAAtzdW1PZlRhYmxlcwACCG11bHRpcGx5AAMKnQsFmgMCBXsGfyABIAJBAnRqIRACQANAIAEgEE8NASAD',
  'IAQgASgCAGxqIQsgAyAEIAEoAgRsaiEMIAMgBCABKAIIbGohDSADIAQgASgCDGxqIQ79DAAAAAAAAAAAAAAAAAAAAAAhBv',
  '0MAAAAAAAAAAAAAAAAAAAAACEH/QwAAAAAAAAAAAAAAAAAAAAAIQj9DAAAAAAAAAAAAAAAAAAAAAAhCUEAIQ8DQCAAIA9B',
  'AXRq/QAEACEKIAYgCiALIA9q/QEDAP26Af2uASEGIAcgCiAMIA9q/QEDAP26Af2uASEHIAggCiANIA9q/QEDAP26Af2uAS',
  'EIIAkgCiAOIA9q/QEDAP26Af2uASEJIAAgD0EBdGr9AAQQIQogBiAKIAsgD2r9AQMI/boB/a4BIQYgByAKIAwgD2r9AQMI',
  '/boB/a4BIQcgCCAKIA0gD2r9AQMI/boB/a4BIQggCSAKIA4gD2r9AQMI/boB/a4BIQkgD0EQaiEPIA8gBEkNAAsgBSAGIA',
  'cgCCAJEAH9CwQAIAVBEGohBSABQRBqIQEMAAsLC5UBAQJ7IAAgAf0NAAECAxAREhMEBQYHFBUWFyAAIAH9DQgJCgsYGRob',
  'DA0ODxwdHh/9rgEhBCACIAP9DQABAgMQERITBAUGBxQVFhcgAiAD/Q0ICQoLGBkaGwwNDg8cHR4f/a4BIQUgBCAF/Q0AAQ',
  'IDBAUGBxAREhMUFRYXIAQgBf0NCAkKCwwNDg8YGRobHB0eH/2uAQvPAQIEewJ/IAAgAkEFdGohCgJAA0AgA0UNAf0MAAAA',
  'AAAAAAAAAAAAAAAAACEF/QwAAAAAAAAAAAAAAAAAAAAAIQYgACEJA0AgAf0ABAAhByAJ/QAEACAH/QwPDw8PDw8PDw8PDw',
  '8PDw8P/U79DiAJ/QAEECAHQQT9bf0O/W4hCCAFIAj9iQH9jgEhBSAGIAj9igH9jgEhBiABQRBqIQEgCUEgaiEJIAkgCkkN',
  'AAsgBCAF/QsEACAEIAb9CwQQIARBIGohBCADQQFrIQMMAAsLC/8DAgl/C3sgACABIARsaiEGIAIgAyAEbGohBwNAIAAgBG',
  'ohCiAFIANBAnRqIQkgAiELA0AgCyAEaiEMIAwgBGohDSANIARqIQ79DAAAAAAAAAAAAAAAAAAAAAAhEv0MAAAAAAAAAAAA',
  'AAAAAAAAACET/QwAAAAAAAAAAAAAAAAAAAAAIRT9DAAAAAAAAAAAAAAAAAAAAAAhFf0MAAAAAAAAAAAAAAAAAAAAACEW/Q',
  'wAAAAAAAAAAAAAAAAAAAAAIRf9DAAAAAAAAAAAAAAAAAAAAAAhGP0MAAAAAAAAAAAAAAAAAAAAACEZQQAhCANAIAAgCGr9',
  'AAQAIQ8gCiAIav0ABAAhECALIAhq/QAEACERIBIgDyAR/eYB/eQBIRIgFiAQIBH95gH95AEhFiAMIAhq/QAEACERIBMgDy',
  'AR/eYB/eQBIRMgFyAQIBH95gH95AEhFyANIAhq/QAEACERIBQgDyAR/eYB/eQBIRQgGCAQIBH95gH95AEhGCAOIAhq/QAE',
  'ACERIBUgDyAR/eYB/eQBIRUgGSAQIBH95gH95AEhGSAIQRBqIQggCCAESQ0ACyAFIBIgEyAUIBUQBP0LBAAgCSAWIBcgGC',
  'AZEAT9CwQAIAVBEGohBSAJQRBqIQkgDiAEaiELIAsgB0kNAAsgCSEFIAogBGohACAAIAZJDQALC5UBAQJ7IAAgAf0NAAEC',
  'AxAREhMEBQYHFBUWFyAAIAH9DQgJCgsYGRobDA0ODxwdHh/95AEhBCACIAP9DQABAgMQERITBAUGBxQVFhcgAiAD/Q0ICQ',
  'oLGBkaGwwNDg8cHR4f/eQBIQUgBCAF/Q0AAQIDBAUGBxAREhMUFRYXIAQgBf0NCAkKCwwNDg8YGRobHB0eH/3kAQs=',
].join('')

/** A function of the module; its source says what each of the addresses must hold. */
export type Kernel = (...values: number[]) => void

const bytes = () => Buffer.from(assembled, 'base64')

/** Whether WebAssembly has the instructions for several numbers at once here. */
export const canCompile = () => WebAssembly.validate(bytes())

/** @throws CompileError where it lacks them */
export const compileKernels = () => new WebAssembly.Module(bytes())

/** One of the functions, which finds what it is about in this memory. */
export function kernelOn(
  memory: WebAssembly.Memory,
  module: WebAssembly.Module,
  name: 'dotProducts' | 'sumOfTables' | 'multiply',
): Kernel {
  const { [name]: kernel } = new WebAssembly.Instance(module, { rows: { memory } }).exports
  if (kernel === undefined) throw new Error(`the kernels have no ${name}`)
  return kernel
}

const pageBytes = 65_536
/** 4 GB. */
const maxPages = 65_536

export const newMemory = () => new WebAssembly.Memory({ initial: 1, maximum: maxPages })

/** Views of the memory end with this. @throws RangeError when there is no such memory */
export function grow(memory: WebAssembly.Memory, bytes: number): void {
  const present = memory.buffer.byteLength
  // In steps of an eighth: growing costs a call, and reserves what is not needed yet.
  const wanted = Math.max(bytes, Math.min(present * 1.125, maxPages * pageBytes))
  memory.grow(Math.ceil((wanted - present) / pageBytes))
}

/** The same numbers, with room for so many and for some more. */
export function enlarged(array: Float32Array, length: number) {
  const larger = new Float32Array(Math.max(length, Math.ceil(array.length * 1.5), 1_024))
  larger.set(array)
  return larger
}
