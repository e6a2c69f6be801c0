/** What is done to files, in the order in which it was done, and what was sent and acknowledged meanwhile. */
export type Entry =
  | {
      readonly op: 'create'
      readonly path: string
      readonly inode: number
      readonly kind: 'file' | 'folder' | 'link' | 'socket'
      readonly mode: number
      readonly target?: string
    }
  /** With the bytes behind it. */
  | { readonly op: 'write'; readonly inode: number; readonly at: number }
  | { readonly op: 'truncate'; readonly inode: number; readonly size: number }
  | { readonly op: 'rename'; readonly from: string; readonly to: string }
  | { readonly op: 'unlink'; readonly path: string }
  /** Ended, and began when the log was so long: what comes later it does not cover. */
  | { readonly op: 'sync'; readonly inode: number; readonly begun: number }
  | { readonly op: 'sent' | 'acknowledged'; readonly id: number; readonly change: Change }

/** What a request makes of what is stored: what was there for a name is replaced; null takes it away. */
export type Change = Readonly<Record<string, string | null>>

const prefixBytes = 8

/** One entry for a single `writev` to a file that is opened to append, which keeps those of all threads whole. */
export function entryParts(entry: Entry, bytes: Uint8Array = new Uint8Array()): Uint8Array[] {
  const header = Buffer.from(JSON.stringify(entry))
  const prefix = Buffer.alloc(prefixBytes)
  prefix.writeUInt32LE(header.length, 0)
  prefix.writeUInt32LE(bytes.length, 4)
  return [prefix, header, bytes]
}

export interface Logged {
  /** Where it begins in the log. */
  readonly position: number
  readonly entry: Entry
  readonly bytes: Buffer
}

export function entriesOf(log: Buffer): Logged[] {
  const entries: Logged[] = []
  for (let position = 0; position < log.length; ) {
    const header = position + prefixBytes
    const data = header + log.readUInt32LE(position)
    const end = data + log.readUInt32LE(position + 4)
    const entry: Entry = JSON.parse(log.toString('utf8', header, data))
    entries.push({ position, entry, bytes: log.subarray(data, end) })
    position = end
  }
  return entries
}
