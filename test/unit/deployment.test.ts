import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { version } from '../../src/version.ts'
import { namesIn, textOf } from '../support/documents.ts'

const Probe = z.object({ httpGet: z.object({ path: z.string(), port: z.literal('http') }) })
const Container = z.object({
  image: z.string(),
  startupProbe: Probe,
  livenessProbe: Probe,
  readinessProbe: Probe,
  securityContext: z.object({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
  }),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
})
const Pods = z.object({
  kind: z.enum(['Deployment', 'StatefulSet']),
  spec: z.object({
    replicas: z.int(),
    template: z.object({ spec: z.object({ containers: z.tuple([Container]) }) }),
  }),
})
const ConfigMap = z.object({
  kind: z.literal('ConfigMap'),
  data: z.record(z.string(), z.string()),
})

/** The only document of a manifest that has this form. */
function partOf<Schema extends z.ZodType>(path: string, schema: Schema): z.output<Schema> {
  const parts = parseAllDocuments(textOf(path)).flatMap((document) => {
    const { data, success } = schema.safeParse(document.toJS())
    return success ? [data] : []
  })
  expect(parts).toHaveLength(1)
  return schema.parse(parts[0])
}

describe.each(
  namesIn('deploy/kubernetes').map((name) => `deploy/kubernetes/${name}`),
)('%s', (path) => {
  const { kind, spec } = partOf(path, Pods)
  const [container] = spec.template.spec.containers
  const { data } = partOf(path, ConfigMap)

  it('has the image of this version', () => {
    expect(container.image.split(':').at(-1)).toBe(version)
  })

  it('asks whether the process lives, and whether it can serve', () => {
    expect(container.startupProbe.httpGet.path).toBe('/livez')
    expect(container.livenessProbe.httpGet.path).toBe('/livez')
    expect(container.readinessProbe.httpGet.path).toBe('/readyz')
  })

  it('reads secrets from files of the secret, and has none itself', () => {
    const mount = container.volumeMounts.find(({ name }) => name === 'secrets')
    const files = Object.entries(data).filter(([name]) => name.endsWith('_FILE'))
    expect(files.map(([name]) => name)).toEqual(
      expect.arrayContaining(['SERVICE_ADMINKEY_FILE', 'ENCRYPTION_KEY_FILE']),
    )
    for (const [, file] of files) expect(file.startsWith(`${mount?.mountPath}/`)).toBe(true)
    expect(Object.keys(data).filter((name) => /KEY$|PASSWORD$|URL$/.test(name))).toEqual([])
  })

  it('has one pod where nothing can share its folder', () => {
    const isEmbedded = data['SERVICE_DATABASE'] === undefined
    expect(kind).toBe(isEmbedded ? 'StatefulSet' : 'Deployment')
    if (isEmbedded) expect(spec.replicas).toBe(1)
    const folder = data['SERVICE_DATADIR']
    const mount = container.volumeMounts.find(({ name }) => name === 'data')
    if (isEmbedded) expect(folder?.startsWith(`${mount?.mountPath}/`)).toBe(true)
  })
})
