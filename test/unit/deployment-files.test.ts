import { expect, it } from 'vitest'
import clientManifest from '../../clients/typescript/package.json' with { type: 'json' }
import manifest from '../../package.json' with { type: 'json' }
import type { SettingInfo } from '../../src/config/setting.ts'
import { settings } from '../../src/config/settings.ts'
import { version } from '../../src/version.ts'
import { namesIn, textOf } from '../support/documents.ts'

const all: SettingInfo[] = Object.values(settings)
/** Which the image decides, or what is of another database than that of compose.yaml. */
const decided = [
  ...['SERVICE_HOST', 'SERVICE_PORT', 'SERVICE_DATADIR', 'SERVICE_DURABILITY'],
  ...['SERVICE_DATABASE_URL', 'SERVICE_DBPORT', 'SERVICE_DBSSLMODE', 'SERVICE_DBSSLROOTCERT'],
]
const passed = all.filter(({ env }) => !decided.includes(env))
const namesOf = (some: readonly SettingInfo[]) => some.map(({ env }) => env)

const exampleOf = ({ env, example }: SettingInfo) => `${env}=${example}`

const compose = 'compose.yaml'
const overrides = namesIn('.').filter((name) => /^compose\..+\.yaml$/.test(name))
const pods = namesIn('deploy/kubernetes').map((name) => `deploy/kubernetes/${name}`)
const kindOf = (path: string) => (path.includes('embedded') ? 'StatefulSet' : 'Deployment')
const ours = '(?:SERVICE|ENCRYPTION)'
const hardened = ['allowPrivilegeEscalation: false', 'readOnlyRootFilesystem: true']
const perhaps = (truth: string, is: boolean) => (is ? [truth] : [])

/** What a file says, as a pattern finds it in any order, and what is true. */
type Truth = readonly [file: string, what: string, pattern: RegExp, truth: readonly unknown[]]
const truths: readonly Truth[] = [
  ['.env.example', 'lists every setting', /^# ([A-Z_]+=.*)$/gm, all.map(exampleOf)],
  [
    compose,
    'passes on what it does not decide',
    new RegExp(`^ {6}(${ours}\\w*?)(?:_FILE)?:`, 'gm'),
    namesOf(passed),
  ],
  [
    compose,
    'has secrets as files',
    new RegExp(`^ {6}(${ours}\\w*)_FILE:`, 'gm'),
    namesOf(passed.filter(({ isSecret }) => isSecret)),
  ],
  [compose, 'passes on nothing by another name', /^ {6}(\w+): \$\{(?!\1:-)/gm, []],
  [
    compose,
    'opens a port on this machine alone',
    /^ +- "(.*:.*)"$/gm,
    [`127.0.0.1:\${SERVICE_PORT:-8880}:8880`],
  ],
  ...overrides.flatMap((path): Truth[] => [
    [path, 'opens no port', /^ +(ports):/gm, []],
    [path, 'has secrets as files', /^ +(\w*(?:PASSWORD|KEY)): /gm, []],
  ]),
  ...pods.flatMap((path): Truth[] => [
    [path, 'has the image of this version', /image: \S+:(\S+)$/gm, [version]],
    [
      path,
      'asks whether the process lives and serves',
      /Probe:\n +httpGet: \{ path: (\S+), port: http \}/g,
      ['/livez', '/livez', '/readyz'],
    ],
    [path, 'may write and become nothing else', /^ +(allowPriv.*|readOnlyRoot.*)$/gm, hardened],
    [path, 'has no secret itself', /^ {2}(\w*(?:KEY|PASSWORD|URL)): /gm, []],
    [
      path,
      'has its keys where secrets are',
      /^ {2}(\w+KEY)_FILE: \/run\/secrets\/semblance\//gm,
      ['SERVICE_ADMINKEY', 'ENCRYPTION_KEY'],
    ],
    [path, 'has secrets there', /mountPath: (\/run\S*)$/gm, ['/run/secrets/semblance']],
    [
      path,
      'has one pod at a time where it has a folder',
      /^kind: (Deployment|StatefulSet)$/gm,
      [kindOf(path)],
    ],
    [
      path,
      'has its folder in a volume',
      /SERVICE_DATADIR: (\/data)\//g,
      perhaps('/data', path.includes('embedded')),
    ],
  ]),
  ['deploy/kubernetes/embedded.yaml', 'has one pod', /^ {2}replicas: (\d+)$/gm, ['1']],
  [
    'clients/typescript/package.json',
    'has the version of the service',
    /^ {2}"version": "(.*)"/gm,
    [manifest.version],
  ],
  ['package.json', 'takes the runtimes that are new enough', /"node": "(>=.*)"/g, ['>=20.19']],
]

it.each(truths)('%s %s', (file, _, pattern, truth) => {
  const found = [...textOf(file).matchAll(pattern)].map(([, value]) => value)
  expect(found.toSorted()).toEqual([...truth].toSorted())
})

it('the client depends on what the service has tried it with', () => {
  expect(clientManifest.dependencies).toEqual({
    'openapi-fetch': manifest.devDependencies['openapi-fetch'],
  })
})
