import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Context } from 'hono'
import { colours } from '../service/welcome/style.ts'

/** When the service runs from its sources, as in tests, these are the files of the last build. */
const dist = new URL(import.meta.url.endsWith('.ts') ? '../../dist/' : '../', import.meta.url)

/** @param path within the folder of the build */
export const builtFolder = (path: string): URL => new URL(path, dist)
export const builtFile = (path: string): Buffer => readFileSync(builtFolder(path))

interface Frame {
  readonly shell: string
  readonly style: string
}

let built: Frame | undefined

/** Reads the built files at the first request for a page. */
function builtFrame(): Frame {
  built ??= {
    shell: builtFile('web/index.html').toString(),
    style: colours + builtFile('web/style.css').toString(),
  }
  return built
}

interface Framed {
  /** HTML, like the other fields. */
  readonly title: string
  readonly main: string
  readonly script?: string
}

/** The relative path to the service's root, because a proxy may serve it below a path of its own. */
export const baseOf = (path: string): string => '../'.repeat(path.split('/').length - 2)

/**
 * Answers with a page: the frame that all have, around its own part.
 * @param path of the page within the service
 */
export function answerFramed(c: Context, path: string, { title, main, script = '' }: Framed) {
  const { shell, style } = builtFrame()
  const base = baseOf(path)
  const values: Readonly<Record<string, string>> = {
    ...{ title, main, script, style, base },
    home: base === '' ? './' : base,
  }
  const page = shell.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
  return c.body(page, 200, {
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': pagePolicy(style),
    'Content-Type': 'text/html; charset=utf-8',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  })
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
