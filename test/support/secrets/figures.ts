import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { watch } from './watch.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where each worker leaves how much it has searched for secrets. */
    figures: string
  }
}

/** Leaves this worker's figures, in place of those after its file before. */
export async function leaveFigures(folder: string): Promise<void> {
  const figures = { ...watch.searched, secrets: watch.secrets.count }
  await writeFile(join(folder, `${process.pid}.json`), JSON.stringify(figures))
}

/** Gathers what the workers of a project have searched. @returns what prints the sum */
export async function gatherFigures(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'semblance-figures-'))
  project.provide('figures', folder)
  return async () => {
    const sums: Record<string, number> = {}
    for (const file of await readdir(folder)) {
      const figures: object = JSON.parse(await readFile(join(folder, file), 'utf8'))
      for (const [name, count] of Object.entries(figures)) sums[name] = (sums[name] ?? 0) + count
    }
    await rm(folder, { recursive: true })
    const { secrets = 0, ...searched } = sums
    const places = Object.entries(searched).map(([name, count]) => `${count} ${name}`)
    process.stderr.write(
      `Searched for ${secrets} secrets (${project.name}): ${places.join(', ')}\n`,
    )
  }
}
