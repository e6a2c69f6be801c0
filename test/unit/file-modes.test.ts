import { chmod, chown, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { keepPrivate } from '../../src/db/embedded/files.ts'
import { openEmbedded } from '../../src/db/embedded/open.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The permissions of all that is below, by what it is. */
async function modesBelow(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const modes = await Promise.all(
    entries.map(async (entry) => {
      const { mode } = await stat(join(entry.parentPath, entry.name))
      return `${entry.isDirectory() ? 'folder' : 'file'} ${(mode & 0o777).toString(8)}`
    }),
  )
  return [...new Set(modes)].toSorted()
}

/** A folder with one for a database, both open to everybody. */
async function openFolder() {
  const folder = temporaryFolder()
  const files = join(folder, 'pgdata')
  await mkdir(files)
  for (const path of [folder, files]) await chmod(path, 0o755)
  return { folder, files }
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
const warned: string[] = []
const warn = (note: string) => void warned.push(note)

describe('the files of an embedded database', () => {
  it('are for their user alone, those of a first start and those of later ones', async () => {
    const folder = temporaryFolder()
    await chmod(folder, 0o755)
    const database = await openEmbedded(folder)
    expect(await modeOf(folder)).toBe('700')
    const { db } = database.short
    await db.execute(sql`create table later as select generate_series(1, 100000) as id`)
    await db.execute(sql`checkpoint`)
    await database.close()
    expect(await modesBelow(folder)).toEqual(['file 600', 'folder 700'])
  })

  it('are closed to others at the next start if their folders are open', async () => {
    const { folder, files } = await openFolder()
    await keepPrivate(folder, files, warn)
    expect([await modeOf(folder), await modeOf(files)]).toEqual(['700', '700'])
  })

  it('leave a folder as it is that has other things too', async () => {
    const { folder, files } = await openFolder()
    await writeFile(join(folder, 'index.html'), '')
    await keepPrivate(folder, files, warn)
    expect([await modeOf(folder), await modeOf(files)]).toEqual(['755', '700'])
  })

  it.skipIf(process.geteuid?.() !== 0)('that belong to another user are named', async () => {
    const { folder, files } = await openFolder()
    for (const path of [folder, files]) await chown(path, 12_345, 12_345)
    warned.length = 0
    await keepPrivate(folder, files, warn)
    expect(warned.join('\n')).toMatch(/belongs to user 12345, and this process runs as user 0/)
    expect(await modeOf(files)).toBe('755')
  })

  it.skipIf(process.geteuid?.() !== 0)('behind a link are those that it leads to', async () => {
    const [folder, link] = [temporaryFolder(), join(temporaryFolder(), 'data')]
    await chmod(folder, 0o755)
    await chown(folder, 12_345, 12_345)
    await symlink(folder, link)
    warned.length = 0
    await keepPrivate(link, join(link, 'pgdata'), warn)
    expect(warned.join('\n')).toMatch(/belongs to user 12345/)
    expect(await modeOf(folder)).toBe('755')
  })

  it.skipIf(process.platform !== 'linux')('that keep their modes are named', async () => {
    warned.length = 0
    await keepPrivate(temporaryFolder(), '/proc/self/attr', warn)
    expect(warned.join('\n')).toMatch(/^\/proc\/self\/attr could not be closed .*EPERM/)
  })
})
