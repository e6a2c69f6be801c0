/** What is used of the package embedding-atlas, whose files `build.js` puts beside this one's place in `dist`. */
interface Umap {
  /** x and y of each row, one after the other. */
  readonly embedding: Float32Array<ArrayBuffer>
  run(): Promise<void>
}

interface UmapOptions {
  readonly metric: 'cosine'
  readonly nNeighbors: number
  readonly nEpochs: number
  readonly negativeSampleRate: number
  readonly seed: number
  /** Is told how far the whole is, 0 to 1, by the thread that computes. */
  readonly progress: (progress: number) => void
}

/** @param data rows of `inputDim` numbers, one behind the other */
export declare function createUMAP(
  count: number,
  inputDim: number,
  outputDim: number,
  data: Float32Array,
  options: UmapOptions,
): Promise<Umap>
