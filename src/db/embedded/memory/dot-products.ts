/** dot-products.wat, assembled; a test holds the two together. */
export const assembled = [
  'AGFzbQEAAAABEgJgBn9/f39/fwBgBHt7e3sBewITAQRyb3dzBm1lbW9yeQIBAYCABAMDAgABBw8BC2RvdFByb2R1Y3',
  'RzAAAKtAQCmgMCBXsGfyABIAJBAnRqIRACQANAIAEgEE8NASADIAQgASgCAGxqIQsgAyAEIAEoAgRsaiEMIAMgBCAB',
  'KAIIbGohDSADIAQgASgCDGxqIQ79DAAAAAAAAAAAAAAAAAAAAAAhBv0MAAAAAAAAAAAAAAAAAAAAACEH/QwAAAAAAA',
  'AAAAAAAAAAAAAAIQj9DAAAAAAAAAAAAAAAAAAAAAAhCUEAIQ8DQCAAIA9BAXRq/QAEACEKIAYgCiALIA9q/QEDAP26',
  'Af2uASEGIAcgCiAMIA9q/QEDAP26Af2uASEHIAggCiANIA9q/QEDAP26Af2uASEIIAkgCiAOIA9q/QEDAP26Af2uAS',
  'EJIAAgD0EBdGr9AAQQIQogBiAKIAsgD2r9AQMI/boB/a4BIQYgByAKIAwgD2r9AQMI/boB/a4BIQcgCCAKIA0gD2r9',
  'AQMI/boB/a4BIQggCSAKIA4gD2r9AQMI/boB/a4BIQkgD0EQaiEPIA8gBEkNAAsgBSAGIAcgCCAJEAH9CwQAIAVBEG',
  'ohBSABQRBqIQEMAAsLC5UBAQJ7IAAgAf0NAAECAxAREhMEBQYHFBUWFyAAIAH9DQgJCgsYGRobDA0ODxwdHh/9rgEh',
  'BCACIAP9DQABAgMQERITBAUGBxQVFhcgAiAD/Q0ICQoLGBkaGwwNDg8cHR4f/a4BIQUgBCAF/Q0AAQIDBAUGBxAREh',
  'MUFRYXIAQgBf0NCAkKCwwNDg8YGRobHB0eH/2uAQs=',
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

const bytes = () => Buffer.from(assembled, 'base64')

/** Whether WebAssembly has the instructions for several numbers at once here. */
export const canCompile = () => WebAssembly.validate(bytes())

/** @throws CompileError where it lacks them */
export const compileDotProducts = () => new WebAssembly.Module(bytes())
