import { nearest } from '../did-you-mean.ts'
import { StartupError } from '../errors.ts'
import { isServiceLink } from './config.ts'
import type { Strings } from './secret-file.ts'
import { settings } from './settings.ts'

const all = Object.values(settings)
const secretSettings = all.filter(({ isSecret }) => isSecret)
const secrets = secretSettings.map(({ env }) => env)
const names = all.map(({ env }) => env)
const isKnown = new Set([...names, ...secrets.map((env) => `${env}_FILE`)])

const prefix = 'SERVICE_'
const plain = (name: string) => name.toLowerCase().replaceAll(/[-_]/g, '')

/** What Kubernetes gives to each container about services, one of which may be called `service`. */
const isOfKubernetes = (name: string, value: string) =>
  /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/.test(name) || isServiceLink(name, value)

/**
 * The names that begin as those of settings do, and are none.
 * @param env the environment, in which other programs have names too
 * @returns warnings, without values
 * @throws StartupError if one seems to be that of a secret which is not given: another one would be
 *   generated
 */
export function mistypedSettings(flags: Strings, env: Strings, dotenv: Strings): string[] {
  const isGiven = (name: string) =>
    secretSettings.some((secret) => secret.env === name && secret.flag && flags[secret.flag]) ||
    [env, dotenv].some((place) => place[name] || place[`${name}_FILE`])
  const warnings: string[] = []
  for (const [place, where] of [
    [env, 'the environment'],
    [dotenv, '.env'],
  ] as const) {
    for (const [name, value] of Object.entries(place)) {
      if (!value || isKnown.has(name)) continue
      const secret = secretMeant(name, place === dotenv)
      if (secret !== undefined && !isGiven(secret)) {
        throw new StartupError(`unknown setting ${name} in ${where}; did you mean ${secret}?`)
      }
      if (!name.startsWith(prefix) || isOfKubernetes(name, value)) continue
      const meant = secret ?? nearest(name, names)
      const hint = meant === undefined ? 'see --help' : `did you mean ${meant}?`
      warnings.push(`unknown setting ${name} in ${where} is ignored; ${hint}`)
    }
  }
  return warnings
}

/** @param isOurs whether a name that does not begin as those of settings do is meant for this program */
function secretMeant(name: string, isOurs: boolean): string | undefined {
  const base = plain(name.replace(/_FILE$/i, ''))
  const isPrefixed = base.startsWith(plain(prefix))
  if (isPrefixed && base.slice(plain(prefix).length) === plain('ENCRYPTION_KEY'))
    return 'ENCRYPTION_KEY'
  if (isPrefixed) return nearest(base, secrets)
  if (isOurs && base === 'adminkey') return 'SERVICE_ADMINKEY'
  return secrets.find((secret) => plain(secret) === base)
}
