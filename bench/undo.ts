type Undo = () => Promise<unknown>

/** What is to be undone when the bench is interrupted. */
const pending = new Set<Undo>()
let interrupted = false

/** Undoes something when `use` has ended, or before that by `undoAll`; in any case once. */
export async function undoing<T>(undo: Undo, use: () => Promise<T>): Promise<T> {
  let undone: Promise<unknown> | undefined
  const once = () => {
    undone ??= undo()
    return undone
  }
  pending.add(once)
  try {
    if (interrupted) throw new Error('interrupted')
    return await use()
  } finally {
    await once()
    pending.delete(once)
  }
}

/** The last first: servers before their databases and folders. Nothing new is begun from then on. */
export async function undoAll(): Promise<void> {
  interrupted = true
  for (let undo = [...pending].at(-1); undo !== undefined; undo = [...pending].at(-1)) {
    await undo().catch(() => {})
    pending.delete(undo)
  }
}
