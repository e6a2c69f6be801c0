// Renders the guides, and the documents that they lead to, as parts of pages for src/pages/guides.ts.
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { Marked } from 'marked'

const guide = (name) => `docs/guide/${name}.md`
const document = (name) => `docs/${name}.md`

const sections = [
  {
    title: 'Step by step',
    paths: [
      'README.md',
      ...['first-corpus', 'explore', 'searching', 'words', 'neighbours', 'map'].map(guide),
      ...['bulk', 'sharing', 'keys', 'frameworks', 'coming-from-chroma'].map(guide),
    ],
  },
  {
    title: 'Clients',
    paths: [
      'clients/python/README.md',
      document('terminal'),
      'clients/typescript/README.md',
      document('clients'),
    ],
  },
  {
    title: 'Reference',
    paths: [
      'search',
      'portable-file',
      'configuration',
      'operations',
      'scale',
      'guarantees',
      'stability',
    ].map(document),
  },
]
const all = sections.flatMap(({ paths }) => paths)

/** `docs/guide/words.md` is the page `words`, `clients/python/README.md` is `python`. */
const nameOf = (path) =>
  posix.basename(path) === 'README.md' && path !== 'README.md'
    ? posix.basename(posix.dirname(path))
    : posix.basename(path, '.md').toLowerCase()

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** As GitHub makes it, since the documents link to it. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

/** @returns undefined if the target is not among the pages */
function pageLink(from, href) {
  if (/^([a-z]+:|#)/.test(href)) return href
  const [file, anchor] = href.split('#')
  const path = posix.join(posix.dirname(from), file)
  if (!all.includes(path)) return undefined
  return anchor === undefined ? nameOf(path) : `${nameOf(path)}#${anchor}`
}

function render(path, root) {
  const images = new Set()
  const renderer = {
    heading({ tokens, text, depth }) {
      const words = this.parser.parseInline(tokens)
      return `<h${depth} id="${escaped(anchorOf(text))}">${words}</h${depth}>\n`
    },
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens)
      const to = pageLink(path, href)
      return to === undefined ? words : `<a href="${escaped(to)}">${words}</a>`
    },
    image({ href, text }) {
      images.add(posix.join(posix.dirname(path), href))
      return `<img src="${escaped(posix.basename(href))}" alt="${escaped(text)}">`
    },
    html: ({ text }) => escaped(text),
  }
  const html = new Marked({ renderer }).parse(readFileSync(new URL(path, root), 'utf8'))
  return { path, name: nameOf(path), html, title: /<h1[^>]*>(.*?)<\/h1>/.exec(html)?.[1], images }
}

/** @param before what leads from the page to the folder of the guides */
const list = (pages, before, current) =>
  sections
    .map(({ title, paths }) => {
      const items = paths.map((path) => {
        const page = pages.find((each) => each.path === path)
        const here = page.name === current ? ' aria-current="page"' : ''
        return `<li><a href="${before}${page.name}"${here}>${page.title}</a></li>`
      })
      return `<h2>${title}</h2>\n<ul>\n${items.join('\n')}\n</ul>`
    })
    .join('\n')

/**
 * @param root the URL of the checkout
 * @returns the files of the guides, by their names
 */
export function guideFiles(root) {
  const pages = all.map((path) => render(path, root))
  const files = new Map()
  for (const { name, html, images } of pages) {
    const nav = `<nav aria-label="Guides">\n${list(pages, '', name)}\n</nav>`
    files.set(`${name}.html`, Buffer.from(`<article>\n${html}</article>\n${nav}\n`))
    for (const path of images) {
      files.set(posix.basename(path), readFileSync(new URL(path, root)))
    }
  }
  const index = `<article class="guides">\n<h1>Guides</h1>\n${list(pages, 'guide/', '')}\n</article>\n`
  return files.set('index.html', Buffer.from(index))
}
