// npm run build: compiles what has changed, bundles the pages, renders the guides, and copies what is used of two packages that users do not get: of Swagger UI
// what /docs gives to browsers, since one that it depends on reports every installation to its maker; of embedding-atlas
// what computes maps, since the rest of it wants viewers and a database. The "overrides" of package.json stand for these.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { guideFiles } from './build-guides.js'

/** Of dev.js. */
const reloadingFlag = '--reloading'
const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url))
const compiler = pathOf('node_modules/typescript/lib/tsc.js')
const given = process.argv.slice(2)
const args = [
  compiler,
  '-b',
  pathOf('tsconfig.json'),
  ...given.filter((arg) => arg !== reloadingFlag),
]
const isDry = args.includes('--dry')

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
  // The pages' scripts contain parts of these.
  { from: 'node_modules/hono', to: 'dist/web', names: ['LICENSE'] },
  { from: 'web/icons', to: 'dist/web/icons', names: ['LICENSE'] },
  ...['diff', 'fflate', 'fzstd', 'hyparquet'].map((name) => ({
    from: `node_modules/${name}`,
    to: `dist/web/${name}`,
    names: ['LICENSE'],
  })),
]
for (const { from, to, names } of copied) {
  mkdirSync(pathOf(to), { recursive: true })
  for (const name of names) {
    const target = pathOf(`${to}/${name}`)
    // npm start asks what is to be built, also where nothing may be written.
    if (isDry && existsSync(target)) continue
    copyFileSync(pathOf(`${from}/${name}`), target)
  }
}

/** For npm run dev: a page looks whether it has changed. */
const reloading = `
const loaded = fetch('').then((answer) => answer.text())
setInterval(async () => {
  if (document.hidden) return
  const answer = await fetch('').catch(() => undefined)
  if (answer?.ok && (await answer.text()) !== (await loaded)) location.reload()
}, 1000)`

const bundle = (entryPoints, options = {}) =>
  build({
    entryPoints: entryPoints.map(pathOf),
    bundle: true,
    minify: true,
    loader: { '.html': 'copy' },
    outdir: pathOf('dist/web'),
    write: false,
    ...options,
  })
const { outputFiles } = await bundle(
  [
    'web/main.tsx',
    'web/making.tsx',
    'web/managing.tsx',
    'web/mapping.tsx',
    'web/guides.tsx',
    'web/style.css',
    'web/guides.css',
    'web/api.css',
    'web/index.html',
  ],
  given.includes(reloadingFlag) ? { footer: { js: `{${reloading}}` } } : {},
)
// A script of its own, because only those who upload Parquet load it.
const parquet = await bundle(['web/upload/parquet.ts'], { format: 'esm' })
outputFiles.push(...parquet.outputFiles)
mkdirSync(pathOf('dist/guides'), { recursive: true })
const guides = guideFiles(new URL('.', import.meta.url))
for (const [name, contents] of guides)
  outputFiles.push({ path: pathOf(`dist/guides/${name}`), contents })
// Compared by content: what a bundle is made of may have changed without changing the bundle.
const isCurrent = ({ path, contents }) => existsSync(path) && readFileSync(path).equals(contents)
if (!isDry) for (const { path, contents } of outputFiles) writeFileSync(path, contents)
else if (!outputFiles.every(isCurrent))
  process.stdout.write('A non-dry build would build the pages\n')
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1
