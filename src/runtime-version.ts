// Runtimes that are too old for the rest of the code read this file. So it imports nothing, and
// main.ts imports nothing else.

interface Versions {
  readonly node?: string | undefined
  readonly bun?: string | undefined
}

/** The minimum versions: of Node 20, and of later releases. Node 21 lacks crc32. */
const node = { older: [20, 19], newer: [22, 2] }
/**
 * Until version 1.3, Bun's `node:http` sends provider requests, including their keys, through
 * HTTP_PROXY.
 */
const bun = [1, 4]

/** @returns why the service cannot run on these versions, in one line; undefined if it can */
export function refusedRuntime(versions: Versions): string | undefined {
  if (versions.bun !== undefined) {
    if (isAtLeast(versions.bun, bun)) return undefined
    return `this is Bun ${versions.bun}, and Semblance needs Bun ${bun.join('.')} or newer`
  }
  const given = `${versions.node}`
  const isOlder = given.startsWith(`${node.older[0]}.`)
  if (isAtLeast(given, isOlder ? node.older : node.newer)) return undefined
  return `this is Node ${given}, and Semblance needs Node ${node.older.join('.')}, ${node.newer.join('.')} or newer`
}

function isAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split('.').map(Number)
  for (let index = 0; index < least.length; index += 1) {
    const part = parts[index] ?? 0
    const wanted = least[index] ?? 0
    if (part !== wanted) return part > wanted
  }
  return true
}
