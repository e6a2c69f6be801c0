import type { SemblanceClient } from '../../client/client.ts'
import { SemblanceError } from '../../client/client.ts'
import type { textQueryAudiences } from '../../db/text-query-columns.ts'
import { StartupError } from '../../errors.ts'

export interface Destination {
  readonly user: string
  readonly project: string
}

/** How what is not there is made. */
interface Making {
  readonly model?: string | undefined
  readonly endpoint?: string | undefined
  readonly 'api-standard'?: string | undefined
  readonly textQueries?: (typeof textQueryAudiences)[number] | undefined
}

/** Says that none is known: RFC 2606. */
const noEndpoint = 'https://endpoint.invalid/'

async function found<T>(answer: Promise<{ data: T }>): Promise<T | undefined> {
  try {
    return (await answer).data
  } catch (error) {
    if (error instanceof SemblanceError && error.status === 404) return undefined
    throw error
  }
}

/** @returns its dimensions, where it is there */
export async function projectDimensions(
  client: SemblanceClient,
  path: Destination,
  { model }: Making,
): Promise<number | undefined> {
  const name = `${path.user}/${path.project}`
  const project = await found(client.GET('/v1/projects/{user}/{project}', { params: { path } }))
  if (project === undefined) {
    if (model !== undefined) return undefined
    throw new StartupError(`project ${name} is not there; with --model NAME it is made`)
  }
  if (project.dimensions === undefined) throw new StartupError(`project ${name} has no instance`)
  if (model !== undefined && project.model !== model) {
    throw new StartupError(`project ${name} is of the model ${project.model}, not ${model}`)
  }
  return project.dimensions
}

/** Makes the project, and its instance where that is not there. */
export async function makeProject(
  client: SemblanceClient,
  { user, project }: Destination,
  dimensions: number,
  making: Making,
): Promise<void> {
  const instance_handle = await makeInstance(client, user, dimensions, making)
  const { textQueries: text_queries } = making
  const body = { instance_owner: user, instance_handle, ...(text_queries && { text_queries }) }
  const path = { user, project }
  await client.PUT('/v1/projects/{user}/{project}', { params: { path }, body })
}

/**
 * An instance of the model, which may have several for its dimensions. Called as the Python client calls it.
 * @returns its handle
 */
async function makeInstance(
  client: SemblanceClient,
  user: string,
  dimensions: number,
  { model = '', ...making }: Making,
): Promise<string> {
  const usual = handleOf(model)
  for (const instance of [usual, `${usual}-${dimensions}`]) {
    const params = { path: { user, instance } }
    const there = await found(client.GET('/v1/llm-services/{user}/{instance}', { params }))
    if (there === undefined) {
      const endpoint = making.endpoint ?? noEndpoint
      const api_standard = making['api-standard'] ?? (await firstStandard(client))
      const body = { endpoint, api_standard, model, dimensions }
      await client.PUT('/v1/llm-services/{user}/{instance}', { params, body })
    } else if (there.dimensions !== dimensions || there.model !== model) continue
    return instance
  }
  throw new StartupError(`instances ${usual} and ${usual}-${dimensions} are of another model`)
}

const handleOf = (model: string) =>
  model
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, 80) || 'model'

async function firstStandard(client: SemblanceClient): Promise<string> {
  const { data } = await client.GET('/v1/api-standards')
  const [first] = data.standards
  if (first !== undefined) return first.api_standard_handle
  throw new StartupError('the server has no API standard; name one with --api-standard')
}
