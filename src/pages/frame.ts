import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Context } from 'hono'
import { etagOf, isKept } from '../http/etag.ts'

/** When the service runs from its sources, as in tests, these are the files of the last build. */
const dist = new URL(import.meta.url.endsWith('.ts') ? '../../dist/' : '../', import.meta.url)

/** @param path within the folder of the build */
export const builtFolder = (path: string): URL => new URL(path, dist)
export const builtFile = (path: string): Buffer => readFileSync(builtFolder(path))

const texts = new Map<string, string>()

/** Reads a built file at the first request that needs it. */
function builtText(path: string): string {
  const text = texts.get(path) ?? builtFile(path).toString()
  texts.set(path, text)
  return text
}

interface Framed {
  /** HTML, like the other fields. */
  readonly title: string
  readonly main: string
  readonly script?: string
  /** That of most pages if absent. */
  readonly sheet?: 'api.css' | 'guides.css'
  /** In place of one that allows the scripts of this server and the sheet. */
  readonly policy?: string
}

/** For a page that a script fills. */
export const noScript =
  '<noscript><p>This page needs JavaScript. Programs can use the API instead; see the guides.</p></noscript>'

/** The relative path to the service's root, because a proxy may serve it below a path of its own. */
export const baseOf = (path: string): string => '../'.repeat(path.split('/').length - 2)

/**
 * Answers with a page: the frame that all have, around its own part.
 * @param path of the page within the service
 */
export function answerFramed(c: Context, path: string, { script = '', ...page }: Framed) {
  const style = builtText(`web/${page.sheet ?? 'style.css'}`)
  const base = baseOf(path)
  const values: Readonly<Record<string, string>> = {
    ...{ title: page.title, main: page.main, script, style, base },
    home: base === '' ? './' : base,
  }
  const html = shellFor(path).replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
  const headers = {
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': page.policy ?? pagePolicy(style),
    'Content-Type': 'text/html; charset=utf-8',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }
  return isKept(c, etagOf(html)) ? c.body(null, 304, headers) : c.body(html, 200, headers)
}

/** The frame, whose header says in which part of the server the page is. */
function shellFor(path: string): string {
  const [, part] = /^\/(explore|docs\/guide|docs)/.exec(path) ?? []
  const current = path === `/${part}` ? 'page' : 'true'
  return builtText('web/index.html').replace(`"{base}${part}"`, `$& aria-current="${current}"`)
}

/**
 * Allows the scripts of this server, the page's own style and nothing from elsewhere. Text cannot
 * be turned into markup.
 */
const pagePolicy = (style: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
