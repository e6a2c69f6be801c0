import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { gatherFigures } from '../secrets/figures.ts'
import { node, semblance, toItsEnd } from './program.ts'

declare module 'vitest' {
  interface ProvidedContext {
    preparedData: string
  }
}

/** Makes the data folder of a first start once, because that takes seconds; tests copy it. */
export default async function setup(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'semblance-prepared-'))
  const { exit, stderr } = await toItsEnd(semblance(node, ['migrate'], { folder, env: {} }))
  if (exit !== 0) throw new Error(`migrate ended with ${exit}:\n${stderr}`)
  project.provide('preparedData', join(folder, 'data'))
  const sumUp = await gatherFigures(project)
  return async () => {
    await sumUp()
    await rm(folder, { recursive: true, force: true })
  }
}
