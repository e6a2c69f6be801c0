// Preloaded into a server: whatever is to be brought to the disk fails while the file is there that FAILING_DISK
// names, with the error that it holds.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { FAILING_DISK: file = '' } = process.env

for (const name of ['fsyncSync', 'fdatasyncSync']) {
  const sync = fs[name]
  fs[name] = (opened) => {
    if (!fs.existsSync(file)) return sync(opened)
    const code = fs.readFileSync(file, 'utf8')
    throw Object.assign(new Error(`${code}: ${name} fails for a test`), { code })
  }
}
syncBuiltinESMExports()
