/** dot-products.wat, assembled; a test holds the two together. */
export const assembled = [
  'AGFzbQEAAAABEgJgBn9/f39/fwBgBHt7e3sBewITAQRyb3dzBm1lbW9yeQIBAYCABAMDAgABBw8BC2RvdFByb2R1Y3',
  'RzAAAK0gMCuAICBXsGfyABIAJBAnRqIRACQANAIAEgEE8NASADIAQgASgCAGxqIQsgAyAEIAEoAgRsaiEMIAMgBCAB',
  'KAIIbGohDSADIAQgASgCDGxqIQ79DAAAAAAAAAAAAAAAAAAAAAAhBv0MAAAAAAAAAAAAAAAAAAAAACEH/QwAAAAAAA',
  'AAAAAAAAAAAAAAIQj9DAAAAAAAAAAAAAAAAAAAAAAhCUEAIQ8DQCAAIA9BAXRq/QAEACEKIAYgCiALIA9q/QEDAP26',
  'Af2uASEGIAcgCiAMIA9q/QEDAP26Af2uASEHIAggCiANIA9q/QEDAP26Af2uASEIIAkgCiAOIA9q/QEDAP26Af2uAS',
  'EJIA9BCGohDyAPIARJDQALIAUgBiAHIAggCRAB/QsEACAFQRBqIQUgAUEQaiEBDAALCwuVAQECeyAAIAH9DQABAgMQ',
  'ERITBAUGBxQVFhcgACAB/Q0ICQoLGBkaGwwNDg8cHR4f/a4BIQQgAiAD/Q0AAQIDEBESEwQFBgcUFRYXIAIgA/0NCA',
  'kKCxgZGhsMDQ4PHB0eH/2uASEFIAQgBf0NAAECAwQFBgcQERITFBUWFyAEIAX9DQgJCgsMDQ4PGBkaGxwdHh/9rgEL',
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

/** @throws CompileError where WebAssembly lacks the instructions for several numbers at once */
export const compileDotProducts = () => new WebAssembly.Module(Buffer.from(assembled, 'base64'))
