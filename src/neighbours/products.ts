/** products.wat, assembled; a test holds the two together. */
export const assembled = [
  'AGFzbQEAAAABEgJgBn9/f39/fwBgBHt7e3sBewITAQRyb3dzBm1lbW9yeQIBAYCABAMDAgABBwwBCG11bHRpcGx5AAAKmQ',
  'UC/wMCCX8LeyAAIAEgBGxqIQYgAiADIARsaiEHA0AgACAEaiEKIAUgA0ECdGohCSACIQsDQCALIARqIQwgDCAEaiENIA0g',
  'BGohDv0MAAAAAAAAAAAAAAAAAAAAACES/QwAAAAAAAAAAAAAAAAAAAAAIRP9DAAAAAAAAAAAAAAAAAAAAAAhFP0MAAAAAA',
  'AAAAAAAAAAAAAAACEV/QwAAAAAAAAAAAAAAAAAAAAAIRb9DAAAAAAAAAAAAAAAAAAAAAAhF/0MAAAAAAAAAAAAAAAAAAAA',
  'ACEY/QwAAAAAAAAAAAAAAAAAAAAAIRlBACEIA0AgACAIav0ABAAhDyAKIAhq/QAEACEQIAsgCGr9AAQAIREgEiAPIBH95g',
  'H95AEhEiAWIBAgEf3mAf3kASEWIAwgCGr9AAQAIREgEyAPIBH95gH95AEhEyAXIBAgEf3mAf3kASEXIA0gCGr9AAQAIREg',
  'FCAPIBH95gH95AEhFCAYIBAgEf3mAf3kASEYIA4gCGr9AAQAIREgFSAPIBH95gH95AEhFSAZIBAgEf3mAf3kASEZIAhBEG',
  'ohCCAIIARJDQALIAUgEiATIBQgFRAB/QsEACAJIBYgFyAYIBkQAf0LBAAgBUEQaiEFIAlBEGohCSAOIARqIQsgCyAHSQ0A',
  'CyAJIQUgCiAEaiEAIAAgBkkNAAsLlQEBAnsgACAB/Q0AAQIDEBESEwQFBgcUFRYXIAAgAf0NCAkKCxgZGhsMDQ4PHB0eH/',
  '3kASEEIAIgA/0NAAECAxAREhMEBQYHFBUWFyACIAP9DQgJCgsYGRobDA0ODxwdHh/95AEhBSAEIAX9DQABAgMEBQYHEBES',
  'ExQVFhcgBCAF/Q0ICQoLDA0ODxgZGhscHR4f/eQBCw==',
].join('')

/** What the module offers; its source says what each of the addresses must hold. */
export type Multiply = (
  a: number,
  height: number,
  b: number,
  width: number,
  stride: number,
  products: number,
) => void

const bytes = () => Buffer.from(assembled, 'base64')

/** Whether WebAssembly has the instructions for several numbers at once here. */
export const canMultiply = () => WebAssembly.validate(bytes())

/** @throws CompileError where it lacks them */
export const compileProducts = () => new WebAssembly.Module(bytes())
