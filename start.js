// npm start: builds what has changed where the compiler is installed, and serves. It runs before
// anything is built, and on whatever Node there is.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url))
const compiler = pathOf('node_modules/typescript/lib/tsc.js')
const program = pathOf('dist/main.js')
const install = process.versions.bun
  ? 'bun install --frozen-lockfile && bun run build'
  : 'npm ci --include=dev && npm run build'

const build = (args, stdout) =>
  spawnSync(process.execPath, [pathOf('build.js'), ...args], {
    stdio: ['inherit', stdout, 'inherit'],
    encoding: 'utf8',
  })

/** Where the log goes, and in its forms: src/log.ts is not built yet. */
function say(msg) {
  const line = { level: 'info', time: new Date().toISOString(), msg }
  process.stderr.write(`${process.stderr.isTTY ? `semblance: ${msg}` : JSON.stringify(line)}\n`)
}

if (existsSync(compiler)) {
  const { stdout: plan, status: planned } = build(['--dry'], 'pipe')
  if (planned !== 0) {
    process.stderr.write(`semblance: it cannot be built as the packages are; run ${install}\n`)
    process.exit(1)
  }
  // It has a line for each of the two parts: the service, and what it gives to browsers.
  if (plan.split('\n').some((line) => line.trim() !== '' && !/ is up to date/.test(line))) {
    if (/ would build /.test(plan)) say('Building the program; this takes some seconds')
    const { status } = build([], 'inherit')
    if (status !== 0) process.exit(status ?? 1)
  }
}
if (existsSync(program)) {
  process.argv.splice(1, 1, program, 'serve')
  void import(new URL('dist/main.js', import.meta.url).href)
} else {
  process.stderr.write(
    `semblance: it is not built, and the compiler is not installed (NODE_ENV=production leaves it out); run ${install}\n`,
  )
  process.exitCode = 1
}
