/**
 * The part of the package embedding-atlas that is used here. `build.js` puts its files beside the
 * place of this one in `dist`.
 */
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
  /** Called with the progress of the whole, 0 to 1, by the thread that computes. */
  readonly progress: (progress: number) => void
}

/** @param data rows of `inputDim` numbers, one after another */
export declare function createUMAP(
  count: number,
  inputDim: number,
  outputDim: number,
  data: Float32Array,
  options: UmapOptions,
): Promise<Umap>
