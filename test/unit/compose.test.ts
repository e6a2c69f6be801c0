import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { SettingInfo } from '../../src/config/setting.ts'
import { settings } from '../../src/config/settings.ts'
import { namesIn, textOf } from '../support/documents.ts'

const { services } = parse(textOf('compose.yaml'))
const environment: Record<string, string> = services.semblance.environment
const all: SettingInfo[] = Object.values(settings)

/** What the image says of the container, where its own database is, and what is of the embedded one alone. */
const decided = [
  ...['SERVICE_HOST', 'SERVICE_PORT', 'SERVICE_DATADIR', 'SERVICE_DURABILITY'],
  ...['SERVICE_DATABASE_URL', 'SERVICE_DBPORT', 'SERVICE_DBSSLMODE', 'SERVICE_DBSSLROOTCERT'],
]

describe('compose.yaml', () => {
  it('passes every setting on that it does not decide', () => {
    const given = new Set(Object.keys(environment).map((name) => name.replace(/_FILE$/, '')))
    const names = all.map(({ env }) => env)
    expect(names.filter((name) => !given.has(name)).sort()).toEqual([...decided].sort())
  })

  it('passes them on by their own names, and secrets as files', () => {
    for (const [name, value] of Object.entries(environment)) {
      const passed = /^\$\{(\w+):-/.exec(value)?.[1]
      if (passed !== undefined) expect(passed).toBe(name)
    }
    const secrets = all.filter(({ env, isSecret }) => isSecret && !decided.includes(env))
    expect(Object.keys(environment)).toEqual(
      expect.arrayContaining(secrets.map(({ env }) => `${env}_FILE`)),
    )
  })

  it('opens ports on this machine alone', () => {
    const ports: string[] = Object.values<{ ports?: string[] }>(services).flatMap(
      (service) => service.ports ?? [],
    )
    expect(ports).toEqual([`127.0.0.1:\${SERVICE_PORT:-8880}:8880`])
  })
})

const overrides = namesIn('.').filter((name) => /^compose\..+\.yaml$/.test(name))

describe.each(overrides)('%s, beside compose.yaml', (path) => {
  const added = parse(textOf(path), { merge: true })
  const others = Object.values<{ environment?: object; ports?: string[]; secrets?: string[] }>(
    added.services,
  )

  it('opens no port', () => {
    expect(others.flatMap(({ ports }) => ports ?? [])).toEqual([])
  })

  it('has secrets as files, in every service that names one', () => {
    for (const { environment = {}, secrets: files = [] } of others) {
      const named = Object.entries<string>({ ...environment }).filter(([name]) =>
        /(PASSWORD|KEY)(_FILE)?$/.test(name),
      )
      for (const [name, file] of named) {
        expect(name).toMatch(/_FILE$/)
        expect(files.map((secret) => `/run/secrets/${secret}`)).toContain(file)
      }
    }
  })
})
