import { NodeFS } from '@electric-sql/pglite/nodefs'

/** What others may do: nothing. */
const ofOthers = 0o077

/** The operations of Emscripten's file system that give a file its mode. */
interface Operations {
  readonly node_ops: {
    mknod(parent: unknown, name: string, mode: number, device: unknown): unknown
    setattr(node: unknown, attributes: Attributes): void
  }
  readonly stream_ops: { setattr(stream: unknown, attributes: Attributes): void }
}

interface Attributes {
  readonly mode?: number
}

/**
 * The files of the engine, for this user alone. Emscripten gives each new one the mode 0666 whatever the
 * umask says, and a thread could not change that of its process.
 */
export class PrivateFiles extends NodeFS {
  override async init(...given: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...given)
    const { preRun = [] } = emscriptenOpts
    const restrict: (typeof preRun)[number] = ({ FS }) => keepPrivate(FS.filesystems.NODEFS)
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...preRun, restrict] } }
  }
}

function keepPrivate({ node_ops, stream_ops }: Operations): void {
  const { mknod, setattr } = node_ops
  const { setattr: setOpened } = stream_ops
  node_ops.mknod = (parent, name, mode, device) => mknod(parent, name, mode & ~ofOthers, device)
  node_ops.setattr = (node, attributes) => setattr(node, restricted(attributes))
  stream_ops.setattr = (stream, attributes) => setOpened(stream, restricted(attributes))
}

const restricted = (attributes: Attributes): Attributes =>
  attributes.mode === undefined || attributes.mode === null
    ? attributes
    : { ...attributes, mode: attributes.mode & ~ofOthers }
