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
      ...['bulk', 'sharing', 'keys', 'frameworks', 'mcp', 'coming-from-chroma'].map(guide),
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

/** What a line of `llms.txt` says of a page: the first sentence of its first paragraph. */
const summaryOf = (html) =>
  plain(/<p>([\s\S]*?)<\/p>/.exec(html)?.[1] ?? '')
    .replaceAll('\n', ' ')
    .replace(/(?<=[^.][.:]) .*|:$/, '')

/** The document with links to the other documents as Markdown. Blocks of code stay as they are. */
const linkedMarkdown = ({ path, markdown }) =>
  markdown
    .split(/(^```[\s\S]*?^```)/m)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, toMarkdown(path)),
    )
    .join('')

const toMarkdown = (from) => (_, image, words, href) => {
  if (image !== '') return `![${words}](${posix.basename(href)})`
  const to = pageLink(from, href)?.replace(/^([a-z-]+)(?=#|$)/, '$1.md')
  return to === undefined ? words : `[${words}](${to})`
}

/** For programs that read: https://llmstxt.org. The links are relative, as those of the pages. */
const llmsText = (pages) => `# Semblance

> Stores vector embeddings of texts for many users and projects, and finds the texts that are similar to one of them or to a vector.

Every page for people at docs/guide/NAME is Markdown at docs/guide/NAME.md. The API is described by openapi.json and openapi.yaml.

${sections
  .map(({ title, paths }) => {
    const lines = paths.map((path) => {
      const page = pages.find((each) => each.path === path)
      return `- [${plain(page.title)}](docs/guide/${page.name}.md): ${summaryOf(page.html)}`
    })
    return `## ${title}\n\n${lines.join('\n')}`
  })
  .join('\n\n')}

## API

- [OpenAPI](openapi.json): every operation, with examples
- [Limits](v1/limits): the limits of this server
- [Projects](v1/projects): the projects that the caller may read; without a key, the public ones
`

/** @returns the document and its heading, which is the name of the product in the README of the repository */
function documentAt(path, root) {
  const text = readFileSync(new URL(path, root), 'utf8')
  const markdown = path === 'README.md' ? text.replace(/^# .*/, '# Start here') : text
  return { path, name: nameOf(path), markdown, title: /^# (.*)/.exec(markdown)?.[1] }
}

/** @param documents all, for the titles of those that are linked by their paths */
function render({ path, markdown, ...page }, documents) {
  const images = new Set()
  const renderer = {
    heading({ tokens, text, depth }) {
      const words = this.parser.parseInline(tokens)
      return `<h${depth} id="${escaped(anchorOf(text))}">${words}</h${depth}>\n`
    },
    link({ href, text, tokens }) {
      const to = pageLink(path, href)
      const named = text.endsWith('.md') && documents.find(({ name }) => name === to)
      const words = named ? named.title : this.parser.parseInline(tokens)
      return to === undefined ? words : `<a href="${escaped(to)}">${words}</a>`
    },
    image({ href, text }) {
      images.add(posix.join(posix.dirname(path), href))
      return `<img src="${escaped(posix.basename(href))}" alt="${escaped(text)}">`
    },
    html: ({ text }) => escaped(text),
  }
  return { ...page, path, html: new Marked({ renderer }).parse(markdown), images }
}

/** @param before what leads from the page to the folder of the guides */
const list = (pages, before, current) =>
  sections
    .map(({ title, paths }) => {
      const items = paths.map((path) => {
        const page = pages.find((each) => each.path === path)
        const here = page === current ? ' aria-current="page"' : ''
        return `<li><a href="${before}${page.name}"${here}>${page.title}</a></li>`
      })
      return `<section>\n<h2>${title}</h2>\n<ul>\n${items.join('\n')}\n</ul>\n</section>`
    })
    .join('\n')

/** Where the script shows the search. @param base the relative path to the service's root */
const island = (base) => `<div id="island" data-page="guides" data-base="${base}"></div>`

const withoutTags = (html) => html.replaceAll(/<[^>]*>/g, '')

function contents(html) {
  const items = [...html.matchAll(/<h2 id="(.*?)">(.*?)<\/h2>/g)].map(
    ([, id, words]) => `<li><a href="#${id}">${withoutTags(words)}</a></li>`,
  )
  return `<nav class="contents" aria-label="On this page">\n<h2>On this page</h2>\n<ul>\n${items.join('\n')}\n</ul>\n</nav>`
}

function turn(pages, index) {
  const link = (rel, words, page) =>
    page === undefined
      ? ''
      : `<a rel="${rel}" href="${page.name}"><span>${words}</span> ${page.title}</a>`
  const links = link('prev', 'Previous', pages[index - 1]) + link('next', 'Next', pages[index + 1])
  return `<nav class="turn" aria-label="Previous and next">${links}</nav>`
}

const pageHtml = (page, index, pages) => `<main class="guide">
<div class="side">
${island('../../')}
<nav aria-label="Guides">
<details><summary>All guides</summary>
${list(pages, '', page)}
</details>
<div>
${list(pages, '', page)}
</div>
</nav>
</div>
<article>
${page.html}${turn(pages, index)}
</article>
${contents(page.html)}
</main>
`

const indexHtml = (pages) => `<main class="guides">
<h1>Guides</h1>
${island('../')}
<div class="cards">
${list(pages, 'guide/')}
</div>
</main>
`

const characters = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }

/** The lines are paragraphs, items, cells and blocks of code. */
const plain = (html) =>
  withoutTags(html.replaceAll(/\s+/g, ' ').replaceAll(/<\/(?:p|li|pre|td|th)>/g, '\n'))
    .replaceAll(/&(?:\w+|#39);/g, (each) => characters[each] ?? each)
    .replaceAll(/ *\n */g, '\n')
    .trim()

/** What web/guides/best-sections.ts searches: what is below each heading. */
const sectionsOf = ({ name, title, html }) =>
  html.split(/(?=<h[1-3] id=)/).map((part) => {
    const [whole, anchor, heading] = /^<h\d id="(.*?)">(.*?)<\/h\d>/.exec(part)
    return {
      page: name,
      title,
      heading: plain(heading),
      anchor,
      text: plain(part.slice(whole.length)),
    }
  })

/**
 * @param root the URL of the checkout
 * @returns the files of the guides, by their names
 */
export function guideFiles(root) {
  const documents = all.map((path) => documentAt(path, root))
  const pages = documents.map((document) => render(document, documents))
  const files = new Map()
  for (const [index, page] of pages.entries()) {
    files.set(`${page.name}.html`, Buffer.from(pageHtml(page, index, pages)))
    files.set(`${page.name}.md`, Buffer.from(linkedMarkdown(documents[index])))
    for (const path of page.images) {
      files.set(posix.basename(path), readFileSync(new URL(path, root)))
    }
  }
  files.set('llms.txt', Buffer.from(llmsText(pages)))
  files.set('index.json', Buffer.from(JSON.stringify(pages.flatMap(sectionsOf))))
  return files.set('index.html', Buffer.from(indexHtml(pages)))
}
