import { Hono } from 'hono'
import { answerFramed, builtFile } from './frame.ts'

const index = '/docs/guide'

const imageHeaders = {
  'Content-Type': 'image/png',
  'Cache-Control': 'public, max-age=86400',
}

/** Serves the guides, which the build renders of the documents. They need no script. */
export function guideRoutes() {
  const router = new Hono()
  const parts = new Map<string, string>()
  const partOf = (name: string) => {
    const part = parts.get(name) ?? builtFile(`guides/${name}.html`).toString()
    parts.set(name, part)
    return { title: titleOf(part), main: `<main class="guide">${part}</main>` }
  }
  router.get(index, (c) => answerFramed(c, index, partOf('index')))
  router.get(`${index}/`, (c) => c.redirect('../guide', 308))
  router.get(`${index}/:file{[a-z-]+(\\.png)?}`, (c) => {
    const { file } = c.req.param()
    if (file.endsWith('.png')) {
      const image = found(() => builtFile(`guides/${file}`))
      return image === undefined ? c.notFound() : c.body(new Uint8Array(image), 200, imageHeaders)
    }
    const part = file === 'index' ? undefined : found(() => partOf(file))
    return part === undefined ? c.notFound() : answerFramed(c, `${index}/${file}`, part)
  })
  return router
}

const titleOf = (part: string) =>
  /<h1[^>]*>(.*?)<\/h1>/.exec(part)?.[1]?.replace(/<[^>]*>/g, '') ?? ''

/** @returns undefined if there is no such file */
function found<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
