import { type Owner, type Project, uploadItems, upTo } from '../api.ts'
import type { PostgresBench } from '../bench.ts'
import { createGenerator, toBase64, toJson } from '../data.ts'
import { freshPrefix, type HttpJob } from '../jobs.ts'
import { alternate, withLoad } from '../load.ts'
import { judge } from '../report.ts'

const batch = 1_000
const textIdOf = (index: number) => `${freshPrefix}-${String(index).padStart(4, '0')}`
const listed = (items: readonly string[]) => `{"embeddings":[${items.join(',')}]}`
const numbers = 'JSON numbers'

const forms = [
  { form: numbers, vectorText: toJson, bodyOf: listed, answer: { expected: 201 } },
  { form: 'base64', vectorText: toBase64, bodyOf: listed, answer: { expected: 201 } },
  {
    form: 'NDJSON of base64',
    vectorText: toBase64,
    bodyOf: (items: readonly string[]) => `${items.join('\n')}\n`,
    // A line of progress may say that a transaction failed.
    answer: { expected: 200, contentType: 'application/x-ndjson', holds: '"done":true' },
  },
]

/** The same embeddings, a thousand in each request, in every form that an upload takes. */
export async function measureForms(
  { plan, report }: PostgresBench,
  owner: Owner,
  dimensions: number,
  clients: number,
): Promise<void> {
  const jobs: HttpJob[] = []
  for (const [index] of forms.entries()) {
    jobs.push(uploading(owner, await owner.createProject(`form${index}`, dimensions), index))
  }
  const [a, b, c] = jobs
  if (a === undefined || b === undefined || c === undefined) return
  const figures = await withLoad(a, (one) =>
    withLoad(b, (two) =>
      withLoad(c, (three) =>
        alternate([one, two, three], clients, { ...plan, roundMs: plan.ingest.roundMs }),
      ),
    ),
  )
  const sides = forms.map(({ form }, index) => ({
    form,
    rate: (figures[index]?.perSecond ?? 0) * batch,
    bytes: (jobs[index]?.requests[0]?.body?.byteLength ?? 0) / batch,
  }))
  const [plain] = sides
  if (plain === undefined) return
  for (const { form, rate, bytes } of sides) {
    const ratio = { name: 'vectors/s ÷ numbers', value: rate / plain.rate, atLeast: 1.5 }
    const size = { name: 'bytes ÷ numbers', value: bytes / plain.bytes, atMost: 0.5 }
    report.add('ingest by form', {
      dimensions,
      clients,
      form,
      'vectors/s': rate,
      'bytes each': bytes,
      '/s ÷ numbers': ratio.value,
      'bytes ÷ numbers': size.value,
      target: form === numbers ? '' : judge(ratio, size),
    })
  }
}

function uploading({ server, key }: Owner, project: Project, index: number): HttpJob {
  const form = forms[index]
  if (form === undefined) throw new Error(`there is no form ${index}`)
  const generator = createGenerator(project.dimensions)
  const items = uploadItems(project, generator, upTo(batch), textIdOf, form.vectorText)
  const body = Buffer.from(form.bodyOf(items))
  const request = { method: 'POST' as const, path: project.embeddings, body }
  return { kind: 'http', url: server.url, key, requests: [request], ...form.answer }
}
