// npm run dev: builds and serves, and does both again after each change. Visible pages then load themselves anew.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { fileURLToPath } from 'node:url'

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url))
const args = [pathOf('dist/main.js'), 'serve', ...process.argv.slice(2)]

let server
async function restart() {
  spawnSync(process.execPath, [pathOf('build.js'), '--reloading'], { stdio: 'inherit' })
  if (server?.kill()) await once(server, 'exit')
  server = spawn(process.execPath, args, { stdio: 'inherit' })
}

let done = restart()
let timer
for (const folder of ['src', 'web', 'docs', 'clients/typescript/src']) {
  watch(pathOf(folder), { recursive: true }, () => {
    clearTimeout(timer)
    // Editors write a file in several steps.
    timer = setTimeout(() => {
      done = done.then(restart)
    }, 100)
  })
}
process.once('SIGTERM', () => process.exit())
process.once('exit', () => server?.kill())
