import { fdatasyncSync } from 'node:fs'
import { dirname } from 'node:path'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import { syncFolder } from '../../durable-files.ts'
import { isNoRoom } from './disk-full.ts'

/** The mode bits of other users, who may do nothing. */
const ofOthers = 0o077

/** The parts of Emscripten's file system that are changed here, or are needed for that. */
interface FileSystem {
  realPath(node: unknown): string
  readonly node_ops: {
    mknod(parent: unknown, name: string, mode: number, device: unknown): object
    setattr(node: object, attributes: Attributes): void
  }
  readonly stream_ops: {
    setattr(stream: Opened, attributes: Attributes): void
    write(stream: Opened, bytes: unknown, from: number, length: number, at: number): number
    /** Emscripten has none, so the engine would believe that everything is on the disk. */
    fsync?(stream: Opened): void
  }
}

interface Opened {
  readonly node: { readonly mode: number }
  readonly nfd: number
}

interface Attributes {
  readonly mode?: number
}

/** ENOSPC, EDQUOT and EFBIG, as Emscripten numbers them: see `isNoRoom`. */
const noRoomNumbers: readonly unknown[] = [51, 19, 22]

const fileType = 0o170000
const isFolder = ({ node }: Opened) => (node.mode & fileType) === 0o040000

/**
 * The engine's files, which only this user can use, and which are synced to the disk when the
 * engine asks for it. Emscripten gives each new file the mode 0666 whatever the umask says, and a
 * thread could not change the umask of its process.
 */
export class PrivateFiles extends NodeFS {
  readonly #noRoom: () => void
  readonly #endEngine: (reason: Error) => void
  /**
   * Folders with new files whose names may not be on the disk: PostgreSQL leaves the names of table
   * files to the file system.
   */
  readonly #grown = new Set<string>()
  /**
   * Files that are not on the disk. After a kill PostgreSQL syncs all files, a thousand, which were
   * synced at the start.
   */
  readonly #unsynced = new WeakSet<object>()

  /**
   * @param noRoom is called when a disk is full, which the engine does not survive everywhere
   * @param endEngine must end the engine at once: what it has written may be lost, and writing it
   *   again would only seem to work, because the system has forgotten what was to be written
   */
  constructor(folder: string, noRoom: () => void, endEngine: (reason: Error) => void) {
    super(folder)
    this.#noRoom = noRoom
    this.#endEngine = endEngine
  }

  override async init(...given: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...given)
    const { preRun = [] } = emscriptenOpts
    const watch: (typeof preRun)[number] = ({ FS }) => this.#watch(FS.filesystems.NODEFS)
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...preRun, watch] } }
  }

  #watch(files: FileSystem): void {
    const { node_ops, stream_ops } = files
    const { mknod, setattr } = node_ops
    const { setattr: setOpened, write } = stream_ops
    node_ops.mknod = (parent, name, mode, device) => {
      this.#grown.add(files.realPath(parent))
      const made = this.#tried(() => mknod(parent, name, mode & ~ofOthers, device))
      this.#unsynced.add(made)
      return made
    }
    node_ops.setattr = (node, attributes) => {
      this.#unsynced.add(node)
      this.#tried(() => setattr(node, restricted(attributes)))
    }
    stream_ops.setattr = (stream, attributes) => {
      this.#unsynced.add(stream.node)
      this.#tried(() => setOpened(stream, restricted(attributes)))
    }
    stream_ops.write = (stream, bytes, from, length, at) => {
      this.#unsynced.add(stream.node)
      const written = this.#tried(() => write(stream, bytes, from, length, at))
      // There is no room for the rest.
      if (written < length) this.#noRoom()
      return written
    }
    stream_ops.fsync = (stream) => this.#sync(stream, files.realPath(stream.node))
  }

  #sync(stream: Opened, path: string): void {
    if (!isFolder(stream) && !this.#unsynced.has(stream.node)) return
    const folder = isFolder(stream) ? path : dirname(path)
    try {
      if (!isFolder(stream)) fdatasyncSync(stream.nfd)
      if (isFolder(stream) || this.#grown.has(folder)) syncFolder(folder)
      this.#grown.delete(folder)
      this.#unsynced.delete(stream.node)
    } catch (error) {
      if (isNoRoom(error)) this.#noRoom()
      this.#endEngine(new Error(`${path} could not be brought to the disk`, { cause: error }))
      throw error
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
