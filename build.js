// npm run build: compiles what has changed, and copies what /docs gives to browsers of Swagger UI. Users do not get
// its package, since one that it depends on reports every installation to its maker.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url))
const compiler = pathOf('node_modules/typescript/lib/tsc.js')
const args = [compiler, '-b', pathOf('tsconfig.json'), ...process.argv.slice(2)]

mkdirSync(pathOf('dist/swagger-ui'), { recursive: true })
for (const name of [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'LICENSE',
  'NOTICE',
]) {
  const target = pathOf(`dist/swagger-ui/${name}`)
  // npm start asks what is to be built, also where nothing may be written.
  if (args.includes('--dry') && existsSync(target)) continue
  copyFileSync(pathOf(`node_modules/swagger-ui-dist/${name}`), target)
}
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1
