import { execFile } from 'node:child_process'
import { cp, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { commandOf } from '../shared/search-path.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const hasNpm = commandOf('npm') !== undefined
const root = fileURLToPath(new URL('../../', import.meta.url))

interface Journal {
  readonly entries: readonly { readonly when: number; readonly tag: string }[]
}
const journalOf = async (folder: string): Promise<Journal> =>
  JSON.parse(await readFile(join(folder, 'drizzle/meta/_journal.json'), 'utf8'))

/** Drizzle passes over a migration whose stamp is not above those that were applied. */
describe('the stamps of the migrations', () => {
  it('rise from each to the next', async () => {
    const stamps = (await journalOf(root)).entries.map(({ when }) => when)
    expect(stamps.length).toBeGreaterThan(4)
    expect(stamps).toEqual([...new Set(stamps)].sort((a, b) => a - b))
  })

  it.runIf(hasNpm)('rise with a new one as well, which leaves the rest as it is', async () => {
    const folder = temporaryFolder()
    for (const name of ['package.json', 'drizzle.config.ts', 'drizzle']) {
      await cp(join(root, name), join(folder, name), { recursive: true })
    }
    for (const name of ['node_modules', 'src']) await symlink(join(root, name), join(folder, name))
    const { entries } = await journalOf(root)
    const args = ['run', 'db:generate', '--', '--custom', '--name=by_the_clock']
    await promisify(execFile)('npm', args, { cwd: folder })
    const { entries: after } = await journalOf(folder)
    expect(after.slice(0, -1)).toEqual(entries)
    const [last, newest] = [entries.at(-1), after.at(-1)]
    expect(newest?.tag).toMatch(/_by_the_clock$/)
    expect(newest?.when).toBeGreaterThan(last?.when ?? 0)
  })
})
