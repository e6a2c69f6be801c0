import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { callForBody } from '../call.ts'
import { counted, printBytes, printNumber } from '../elements.tsx'
import { FormSelect, StepForm } from '../form.tsx'
import { frame } from '../frame.ts'
import { useAnswer } from '../loading.ts'
import { saveStream, writesToDisk } from '../save.ts'
import { toast } from '../toast.ts'
import { type Managed, projectPath } from './managed.ts'

/** Each with its query, and how much larger vectors are in it: as decimals, not at all, or as Base64. */
const kinds = [
  ['NDJSON with vectors', 'format=ndjson', 3],
  ['NDJSON without vectors', 'format=ndjson&include=text,metadata', 0],
  ['Portable file for another server', 'format=semblance', 1.4],
] as const

type Statistics = Schemas['ProjectStatistics']

/** An estimate: metadata are stored compressed. */
const sizeOf = ({ vectors, texts, metadata }: Statistics['bytes'], share: number) =>
  share * vectors + texts + 1.5 * metadata

/** Above this size, browsers that keep files in memory may run out of it. */
const maxKept = 2 ** 30

interface Got {
  readonly bytes: number
  readonly lines: number
}

export function ExportPanel({ project }: Managed) {
  const count = project.embedding_count
  const [got, show] = useState<Got | undefined>(undefined)
  const of = `${project.last_upload} ${count}`
  const { value } = useAnswer<Statistics>(`${projectPath}/statistics`, of)
  const save = async (text: (name: string) => string, signal: AbortSignal) => {
    const [, query, share] = kinds[Number(text('kind'))] ?? kinds[0]
    const isLarge = value !== undefined && sizeOf(value.bytes, share) > maxKept
    if (isLarge && !writesToDisk()) throw new Error(tooLarge)
    const name = `${frame.project}.${new URLSearchParams(query).get('format')}`
    const open = async () => {
      show({ bytes: 0, lines: 0 })
      const { body } = await callForBody(`${projectPath}/export?${query}`, { signal })
      return (body ?? new Blob().stream()).pipeThrough(counting(show))
    }
    await saveStream(name, open).finally(() => show(undefined))
    toast(`Saved ${name}`)
  }
  const worded = kinds.map(([title, , share], at) => [
    at,
    value === undefined ? title : `${title}: about ${printBytes(sizeOf(value.bytes, share))}`,
  ])
  const options = Object.fromEntries(worded)
  return (
    <>
      <StepForm action="Export" save={save} isLong>
        <FormSelect name="kind" label={`What of the ${counted(count)}`} options={options}>
          {writesToDisk() ? 'It is written to the disk as it comes.' : inMemory}
        </FormSelect>
        {got !== undefined && (
          <div class="buttons">
            <progress value={`${got.lines}`} max={`${Math.max(1, count)}`} aria-label="Export" />
            {printNumber(Math.min(got.lines, count))} of {counted(count)}, {printBytes(got.bytes)}
          </div>
        )}
      </StepForm>
      {project.public_read && (
        <p>
          Everybody can <a href={`${frame.base}${projectPath}/export`}>download the NDJSON</a>{' '}
          without a key.
        </p>
      )}
    </>
  )
}

const inMemory =
  'This browser keeps the file in memory until all of it has come. Chrome and Edge, over HTTPS, write it to the disk.'
const tooLarge =
  'That is too large for the memory of this browser. Use Chrome or Edge over HTTPS, or semblance-client export.'

const newline = 10
const shownEveryMs = 200

/** Passes a file of lines on, and tells how much of it has come. */
function counting(show: (got: Got) => void) {
  let [bytes, lines, shownAt] = [0, 0, 0]
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      bytes += chunk.length
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) lines += 1
      if (performance.now() - shownAt > shownEveryMs) {
        shownAt = performance.now()
        show({ bytes, lines })
      }
      controller.enqueue(chunk)
    },
  })
}
