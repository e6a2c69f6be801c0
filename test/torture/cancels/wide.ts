import { HttpClient } from '../http-client.ts'
import { adminKey } from '../service.ts'
import { textOf, uploadBody } from '../texts.ts'
import { instanceOf, owners, type World } from '../world.ts'

const [owner] = owners
const dimensions = 1_536
const texts = 200
const charactersOfText = 20_000
/** More than a connection holds on its way; PostgreSQL stores it in a hundredth. */
const charactersOfMetadata = 100_000
/** Of every other project. */
const textsOfPlot = 40

export const wideList = `/v1/embeddings/${owner}/wide?limit=${texts}`

/** Fills the projects, opens one to everybody, and adds one whose list is of some 28 MB. */
export async function fill({ url, tally, plots, probed }: World): Promise<void> {
  const client = new HttpClient(url, tally)
  const send = async (method: string, path: string, body: string) => {
    const { status, reason } = await client.call(method, path, { key: adminKey, body })
    if (status !== 200 && status !== 201) throw new Error(`${method} ${path}: ${status} ${reason}`)
  }
  for (const holding of [probed, ...plots.map((plot) => plot.holding)]) {
    const batch = holding.newBatch(textsOfPlot)
    const body = uploadBody(batch.textIds, holding.handle, holding.dimensions)
    await send('POST', holding.path('embeddings'), body)
    holding.keep(batch)
  }
  await send('PATCH', probed.path('projects'), JSON.stringify({ public_read: true }))
  await send('PUT', `/v1/llm-services/${owner}/wide`, JSON.stringify(instanceOf(dimensions)))
  const reference = { instance_owner: owner, instance_handle: 'wide' }
  await send('PUT', `/v1/projects/${owner}/wide`, JSON.stringify(reference))
  const embeddings = Array.from({ length: texts }, (_, index) => ({
    ...textOf(`wide-${index}`, dimensions),
    text: `${index} `.repeat(charactersOfText / 4),
    metadata: { filler: 'x'.repeat(charactersOfMetadata) },
    instance_handle: 'wide',
    vector_dim: dimensions,
  }))
  await send('POST', `/v1/embeddings/${owner}/wide`, JSON.stringify({ embeddings }))
  client.close()
}
