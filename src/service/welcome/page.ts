import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import { style } from './style.ts'

export interface ShownProject {
  readonly owner: string
  readonly handle: string
  readonly description: string | null
}

const styleHash = createHash('sha256').update(style).digest('base64')

/** Allows no scripts, nothing from other hosts, and only the style sheet within the page. */
export const welcomePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** In code points. A description may have 10,000. */
export const shownDescription = 200

/**
 * The start page, with all values escaped. Links are relative, because a proxy may serve everything
 * below a path of its own.
 * @param projects undefined if the database does not answer
 * @param hasMore whether there are more public projects than these
 */
export const welcomePage = (
  version: string,
  projects: readonly ShownProject[] | undefined,
  hasMore: boolean,
) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Stores vector embeddings of texts and finds the texts that are similar.">
<title>Semblance</title>
<link rel="icon" href="favicon.svg" type="image/svg+xml">
<style>${raw(style)}</style>
</head>
<body>
<header>
<h1><img src="favicon.svg" alt="">Semblance</h1>
<p>This server stores vector embeddings of texts for many users and projects, and finds the texts that are similar to one of
them or to a vector. It computes no embeddings: those come from a model of your choice.</p>
<nav aria-label="This server"><ul>
<li><a href="explore">Explore projects</a></li>
<li><a href="docs">Documentation</a></li>
<li><a href="openapi.json">OpenAPI (JSON)</a></li>
<li><a href="openapi.yaml">OpenAPI (YAML)</a></li>
<li><a href="v1/limits">Limits</a></li>
<li><a href="readyz">Status</a>: ${projects === undefined ? 'the database does not answer' : 'ready'}</li>
</ul></nav>
</header>
<main>
<h2>Public projects</h2>
${projects === undefined ? unknown : projects.length === 0 ? none : listOf(projects)}
${hasMore ? more : ''}
</main>
<footer>Semblance ${version}. Everything else needs an API key, which the administrator of this server gives out.</footer>
</body>
</html>
`

const none = html`<p class="soft">There are none yet. A project becomes public with <code>public_read: true</code>.</p>`
const unknown = html`<p class="soft">They cannot be shown while the database does not answer.</p>`
const more = html`<p><a href="explore">There are more.</a></p>`

const listOf = (projects: readonly ShownProject[]) =>
  html`<ul class="projects">
${projects.map(
  ({
    owner,
    handle,
    description,
  }) => html`<li><p><a href="explore/${owner}/${handle}">${owner}/${handle}</a></p>
${description === null ? '' : html`<p class="soft">${shortened(description)}</p>`}</li>
`,
)}</ul>`

function shortened(text: string): string {
  const characters = [...text]
  if (characters.length <= shownDescription) return text
  return `${characters.slice(0, shownDescription).join('')}…`
}
