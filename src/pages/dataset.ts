import type { Context } from 'hono'
import type { ProjectWithCollection } from '../access/project.ts'
import { decide } from '../access/rules.ts'
import type { AppEnv } from '../http/env.ts'
import type { PublicUrl } from '../http/public-url.ts'

/** A page does not wait longer for what only crawlers read. */
const maxMs = 1_000

/**
 * Describes a public project to crawlers, as JSON-LD in a block that browsers do not run. The key of
 * the caller is not read, so a page is the same for everybody.
 * @returns '' for a private or missing project, and where the database does not answer
 */
export async function datasetOf(c: Context<AppEnv>, publicUrl: PublicUrl): Promise<string> {
  const { access, presumedRequesters, clientAddress, onBehalfOf } = c.get('server')
  const { owner = '', project: handle = '' } = c.req.param()
  const presumed = presumedRequesters.of(c.req, undefined, owner, () => clientAddress(c))
  const signal = AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(maxMs)])
  const found = await onBehalfOf({ ...presumed, signal }, () =>
    access.project(undefined, { owner, handle }).catch(() => undefined),
  )
  if (found?.thing === undefined) return ''
  const asked = { scope: 'everything', authenticated: false, exists: true } as const
  if (decide('project:read', { ...asked, relations: found.relations }) !== 'allowed') return ''
  const urlOf = (path: string) => publicUrl(path, c.req)
  return `<script type="application/ld+json">${escaped(described(found.thing, urlOf))}</script>`
}

function described(project: ProjectWithCollection, urlOf: (path: string) => string): object {
  const { owner, handle, instance, collection } = project
  const name = `${owner}/${handle}`
  const modelled = instance === undefined ? '' : ` of the model ${instance.model}`
  const figures = {
    texts: collection.vectors,
    ...(instance !== undefined && { dimensions: instance.dimensions }),
  }
  return {
    '@context': 'https://schema.org',
    '@type': 'Dataset',
    name,
    description: project.description ?? `${collection.vectors} texts with embeddings${modelled}`,
    url: urlOf(`/explore/${name}`),
    creator: { '@type': 'Person', name: owner },
    dateCreated: project.createdAt,
    ...(collection.addedAt !== null && { dateModified: collection.addedAt }),
    measurementTechnique: instance?.model,
    variableMeasured: Object.entries(figures).map(([figure, value]) => ({
      ...{ '@type': 'PropertyValue', name: figure, value },
    })),
    isAccessibleForFree: true,
    distribution: {
      '@type': 'DataDownload',
      encodingFormat: 'application/x-ndjson',
      contentUrl: urlOf(`/v1/projects/${name}/export`),
    },
  }
}

/** No text can end the block, or begin a comment in it. */
const escaped = (value: object) =>
  JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
