import { NodeFS } from '@electric-sql/pglite/nodefs'

/** What others may do: nothing. */
const ofOthers = 0o077

/** The operations of Emscripten's file system that give a file its mode. */
interface Operations {
  readonly node_ops: {
    mknod(parent: unknown, name: string, mode: number, device: unknown): unknown
    setattr(node: unknown, attributes: Attributes): void
  }
  readonly stream_ops: {
    setattr(stream: unknown, attributes: Attributes): void
    write(stream: unknown, bytes: unknown, from: number, length: number, at: number): number
  }
}

interface Attributes {
  readonly mode?: number
}

/** ENOSPC, EDQUOT and EFBIG, as Emscripten numbers them. */
const noRoomNumbers: readonly unknown[] = [51, 19, 22]

/**
 * The files of the engine, for this user alone. Emscripten gives each new one the mode 0666 whatever the
 * umask says, and a thread could not change that of its process.
 */
export class PrivateFiles extends NodeFS {
  readonly #noRoom: () => void

  /** @param noRoom is told when a disk is full, which the engine does not survive in every place */
  constructor(folder: string, noRoom: () => void) {
    super(folder)
    this.#noRoom = noRoom
  }

  override async init(...given: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...given)
    const { preRun = [] } = emscriptenOpts
    const watch: (typeof preRun)[number] = ({ FS }) => this.#watch(FS.filesystems.NODEFS)
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...preRun, watch] } }
  }

  #watch({ node_ops, stream_ops }: Operations): void {
    const { mknod, setattr } = node_ops
    const { setattr: setOpened, write } = stream_ops
    node_ops.mknod = (parent, name, mode, device) =>
      this.#tried(() => mknod(parent, name, mode & ~ofOthers, device))
    node_ops.setattr = (node, attributes) =>
      this.#tried(() => setattr(node, restricted(attributes)))
    stream_ops.setattr = (stream, attributes) =>
      this.#tried(() => setOpened(stream, restricted(attributes)))
    stream_ops.write = (stream, bytes, from, length, at) => {
      const written = this.#tried(() => write(stream, bytes, from, length, at))
      // What is left finds no room.
      if (written < length) this.#noRoom()
      return written
    }
  }

  #tried<T>(operation: () => T): T {
    try {
      return operation()
    } catch (error) {
      if (noRoomNumbers.includes(Object(error)['errno'])) this.#noRoom()
      throw error
    }
  }
}

const restricted = (attributes: Attributes): Attributes =>
  attributes.mode === undefined || attributes.mode === null
    ? attributes
    : { ...attributes, mode: attributes.mode & ~ofOthers }
