// npm run build: compiles what has changed, and copies what is used of two packages that users do not get: of Swagger UI
// what /docs gives to browsers, since one that it depends on reports every installation to its maker; of embedding-atlas
// what computes maps, since the rest of it wants viewers and a database. The "overrides" of package.json stand for these.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url))
const compiler = pathOf('node_modules/typescript/lib/tsc.js')
const args = [compiler, '-b', pathOf('tsconfig.json'), ...process.argv.slice(2)]

const copied = [
  {
    from: 'node_modules/swagger-ui-dist',
    to: 'dist/swagger-ui',
    names: [
      'swagger-ui.css',
      'swagger-ui-bundle.js',
      'swagger-ui-bundle.js.LICENSE.txt',
      'LICENSE',
      'NOTICE',
    ],
  },
  {
    from: 'node_modules/embedding-atlas/dist',
    to: 'dist/maps/embedding-atlas',
    names: ['umap.js', 'chunk-Bn3LaujC.js'],
  },
  { from: 'src/maps/embedding-atlas', to: 'dist/maps/embedding-atlas', names: ['LICENSE'] },
]
for (const { from, to, names } of copied) {
  mkdirSync(pathOf(to), { recursive: true })
  for (const name of names) {
    const target = pathOf(`${to}/${name}`)
    // npm start asks what is to be built, also where nothing may be written.
    if (args.includes('--dry') && existsSync(target)) continue
    copyFileSync(pathOf(`${from}/${name}`), target)
  }
}
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1
