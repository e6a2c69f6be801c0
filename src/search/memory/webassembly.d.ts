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

export {}
