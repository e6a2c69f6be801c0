import { createHash } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { notFound } from '../errors.ts'
import type { AppEnv } from '../http/env.ts'
import { answerLasting, type Lasting, lasting } from '../http/etag.ts'
import type { PublicUrl } from '../http/public-url.ts'
import { datasetOf } from './dataset.ts'
import { answerFramed, baseOf, builtFile, noScript } from './frame.ts'
import { guideRoutes } from './guides.ts'

interface Page {
  readonly path: string
  /** Its name in the script. */
  readonly name: string
  /** That of web/main.tsx, 'pages', if absent. */
  readonly script?: 'pages' | 'making' | 'managing' | 'mapping'
  readonly title: string
}

/** The patterns match what handles may contain. */
const project = '/explore/:owner{[A-Za-z0-9_-]{1,100}}/:project{[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}}'

/**
 * The pages for people. Each is the same for every caller and, unless the project is public, whether
 * or not it exists: the browser asks the API, which decides what the caller may see.
 */
export const pages: readonly Page[] = [
  { path: '/explore', name: 'explore', title: 'Explore' },
  { path: '/explore/keys', name: 'keys', script: 'managing', title: 'Keys' },
  { path: '/explore/new', name: 'new', script: 'making', title: 'New project' },
  { path: '/explore/admin', name: 'admin', script: 'managing', title: 'Administration' },
  { path: project, name: 'project', title: '{owner}/{project}' },
  { path: `${project}/text`, name: 'text', title: 'Text of {owner}/{project}' },
  {
    path: `${project}/upload`,
    name: 'upload',
    script: 'making',
    title: 'Upload to {owner}/{project}',
  },
  {
    path: `${project}/manage`,
    name: 'manage',
    script: 'managing',
    title: 'Manage {owner}/{project}',
  },
  { path: `${project}/map`, name: 'map', script: 'mapping', title: 'Map of {owner}/{project}' },
  { path: `${project}/code`, name: 'code', title: '{owner}/{project} from code' },
  {
    path: `${project}/duplicates`,
    name: 'duplicates',
    title: 'Near-duplicates in {owner}/{project}',
  },
]

/** Serves the guides, the pages and their script, which the build makes of docs/ and web/. */
export function pageRoutes(publicUrl: PublicUrl) {
  const built = readOnce()
  const router = new Hono<AppEnv>().route(
    '/',
    guideRoutes((base) => tagOf(built().guides, base)),
  )
  for (const page of pages) {
    router.get(page.path, async (c) => {
      const described = page.path === project ? await datasetOf(c, publicUrl) : ''
      return answerPage(c, page, built(), described)
    })
    if (page.path.includes(':')) continue
    const name = page.path.slice(page.path.lastIndexOf('/'))
    router.get(`${page.path}/`, (c) => c.redirect(`..${name}`, 308))
  }
  router.get('/scripts/:file{[\\w-]+\\.[0-9a-f]+\\.js}', (c) => {
    const script = Object.values(built()).find(({ file }) => file === c.req.param('file'))
    if (script === undefined) throw notFound(`There is nothing at ${c.req.path}`)
    return answerLasting(c, script.content, {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
    })
  })
  return router
}

interface Script {
  readonly content: Lasting
  /** Contains a hash of the script, so browsers may cache it for ever. */
  readonly file: string
}

function scriptOf(name: string, path: string): Script {
  const content = builtFile(path)
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16)
  return { content: lasting(content), file: `${name}.${hash}.js` }
}

/** @param base the relative path to the service's root */
const tagOf = ({ file }: Script, base: string) =>
  `<script src="${base}scripts/${file}" defer></script>`

interface Scripts {
  readonly pages: Script
  readonly making: Script
  readonly managing: Script
  readonly mapping: Script
  readonly guides: Script
  /** What reads Parquet files, for the page that uploads. */
  readonly parquet: Script
}

/** Reads the scripts at the first request for a page. */
function readOnce(): () => Scripts {
  let built: Scripts | undefined
  return () => {
    built ??= {
      pages: scriptOf('pages', 'web/main.js'),
      making: scriptOf('making', 'web/making.js'),
      managing: scriptOf('managing', 'web/managing.js'),
      mapping: scriptOf('mapping', 'web/mapping.js'),
      guides: scriptOf('guides', 'web/guides.js'),
      parquet: scriptOf('parquet', 'web/parquet.js'),
    }
    return built
  }
}

/**
 * Fills in the element that the script fills. No value has a character to be escaped.
 * @param described HTML about the project
 */
function answerPage(
  c: Context,
  { path, name, script = 'pages', title }: Page,
  scripts: Scripts,
  described: string,
) {
  const { owner = '', project = '' } = c.req.param()
  const base = baseOf(path)
  const data = {
    ...{ base, page: name, owner, project },
    ...(name === 'upload' && { parquet: `${base}scripts/${scripts.parquet.file}` }),
  }
  const attributes = Object.entries(data).map(([key, value]) => ` data-${key}="${value}"`)
  return answerFramed(c, path, {
    title: title.replace('{owner}', owner).replace('{project}', project),
    script: tagOf(scripts[script], base) + described,
    main: `<main id="island"${attributes.join('')}>${noScript}</main>`,
  })
}
