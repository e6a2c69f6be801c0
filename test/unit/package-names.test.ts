import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const self = 'test/unit/package-names.test.ts'

// Not semblance_client either, which is one word.
const ofOthers = /semblance\b(?!-client|-server)/.source
const installer =
  /\b(?:pip3? install|pipx|uvx|uv (?:pip|add|run|tool)|npm (?:install|i|add|exec)|npx|pnpm|yarn|bun (?:add|x)|bunx)\b/
    .source
/** What follows of the command. */
const rest = '[^\\n`#;&|]*?'
/**
 * What installs or imports the package `semblance`, which is another's at both indexes, or one of ours by a name that
 * is not published: whoever registers it first would be installed. Our files and paths may be installed.
 */
const wrong = new RegExp(
  [
    String.raw`${installer}${rest}(?<![\w/-])(?:\./)?${ofOthers}`,
    String.raw`\b(?:import|from|require)[ (]+['"]?${ofOthers}`,
    String.raw`(?<![\w./-])semblance/client\b`,
    String.raw`${installer}(?!${rest}--(?:from|spec|no-install)\b)${rest}(?<![\w/.-])semblance[-_](?:client|server)\b(?!-\d)`,
    String.raw`semblance[-_]client\[`,
  ].join('|'),
)

const linesWith = (text: string) => text.split('\n').filter((line) => wrong.test(line))

/** All that is committed, or will be. */
const files = execFileSync(
  'git',
  ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
  { cwd: root, encoding: 'utf8' },
)
  .split('\0')
  .filter((path) => path !== '' && path !== self && existsSync(root + path))

it('nothing says to install a package that is not ours or not published', () => {
  expect(files.length).toBeGreaterThan(1_000)
  expect(files).toContain('examples/notebook/gospels.ipynb')
  const found = files.flatMap((path) =>
    linesWith(readFileSync(root + path, 'utf8')).map((line) => `${path}: ${line.slice(0, 200)}`),
  )
  expect(found).toEqual([])
})

const ofAnother = [
  '    "`semblance login` once), and `pip install semblance pandas matplotlib tqdm`."',
  "python -m pip install -U 'semblance[files]'",
  ...['uvx semblance serve', 'uv pip install numpy semblance'],
  ...['npm install -g ./semblance-0.1.0.tgz', 'npx --yes semblance@0.1.0 serve'],
  ...['import semblance as s', "import { createClient } from 'semblance/client'"],
  'all by way of semblance/client',
  ...["pip install 'semblance-client[files]' pandas", 'needs semblance_client[chroma]'],
  ...['pip install numpy semblance_client', 'npx semblance-server serve'],
]
const ours = [
  "pip install './clients/python[files]' pandas",
  'pip install semblance_client-0.1.0-py3-none-any.whl',
  'npx --no-install semblance-server serve',
  'npm install -g ./semblance-server-0.1.0.tgz && semblance serve',
  "uvx --from './clients/python[terminal]' semblance-client --help",
  ...['from semblance_client import Client', "import { createClient } from 'semblance-client'"],
  ...['imports CSV, Parquet, and semblance files', '~/.config/semblance/client.json'],
]

it('finds the package of another, and lets ours pass', () => {
  expect(linesWith(ofAnother.join('\n'))).toEqual(ofAnother)
  expect(linesWith(ours.join('\n'))).toEqual([])
})
