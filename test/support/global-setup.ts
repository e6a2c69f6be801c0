import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import { gatherFigures } from './secrets/figures.ts'

declare module 'vitest' {
  interface ProvidedContext {
    engine: string
    databaseUrl: string
  }
}

/** Gives a run on PostgreSQL a database of its own, and drops it afterwards. */
export default async function setup(project: TestProject) {
  project.provide('databaseUrl', '')
  const sumUp = await gatherFigures(project)
  const { TEST_DATABASE_URL: url } = process.env
  if (project.name !== 'postgres' || url === undefined) return sumUp
  const name = `semblance_test_${process.pid}_${Date.now()}`
  const server = postgres(url, { max: 1, onnotice: () => {} })
  await server.unsafe(`create database ${name}`)
  const own = new URL(url)
  own.pathname = `/${name}`
  project.provide('databaseUrl', own.href)
  return async () => {
    await sumUp()
    await server.unsafe(`drop database ${name} with (force)`)
    await server.end()
  }
}
