import { useEffect, useLayoutEffect, useRef, useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { asRefusal, RefusedCall } from './call.ts'
import { Button, counted, RefusalNote } from './elements.tsx'
import { frame, island } from './frame.ts'
import { ProjectFrame } from './project-frame.tsx'
import { maxRefused, nothingSent, type Sent, sendRows } from './upload/send.ts'

export const UploadPage = () => (
  <ProjectFrame
    needs="mayWrite"
    show={(project, caller) => project !== undefined && <Upload key={caller} project={project} />}
  />
)

interface Props {
  readonly project: Schemas['Project']
}

interface State {
  readonly sent: Sent
  readonly refusal: RefusedCall | undefined
  readonly phase: 'ready' | 'sending' | 'ended' | 'stopped' | 'unreadable'
}

function Upload({ project }: Props) {
  const [{ sent, refusal, phase }, set] = useState<State>({
    ...{ sent: nothingSent, refusal: undefined, phase: 'ready' },
  })
  const stopping = useRef<AbortController | null>(null)
  useEffect(() => () => stopping.current?.abort(), [])
  const isSending = phase === 'sending'
  // An ordinary effect waits for the next frame, and would still warn of leaving when all is done.
  useLayoutEffect(() => {
    if (!isSending) return
    const warn = (event: Event) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isSending])
  const start = (event: Event) => {
    event.preventDefault()
    if (isSending || !(event.currentTarget instanceof HTMLFormElement)) return
    const form = new FormData(event.currentTarget)
    const file = form.get('file')
    if (!(file instanceof File)) return
    const abort = new AbortController()
    stopping.current = abort
    const change = (next: Partial<State>) => set((before) => ({ ...before, ...next }))
    set({ sent: nothingSent, refusal: undefined, phase: 'sending' })
    const options = {
      ...{ file, dimensions: project.dimensions, parquetScript },
      ...{ replaces: form.has('replaces'), embeds: form.has('embeds') },
    }
    sendRows(options, abort.signal, (sent) => change({ sent })).then(
      () => change({ phase: 'ended' }),
      (error: unknown) =>
        change(
          abort.signal.aborted
            ? { phase: 'stopped' }
            : {
                refusal: asRefusal(error),
                // What is wrong with a file stays so.
                phase: error instanceof RefusedCall ? 'stopped' : 'unreadable',
              },
        ),
    )
  }
  return (
    <>
      <form class="panel" onSubmit={start}>
        <div class="field">
          <label for="file">File: .ndjson, .jsonl, .csv, .tsv (also with .gz) or .parquet</label>
          <input id="file" name="file" type="file" required accept={accepted} />
        </div>
        <Columns dimensions={project.dimensions} />
        <label class="choice">
          <input type="checkbox" name="replaces" />
          <span>Replace texts that are there already; otherwise they are left as they are</span>
        </label>
        {project.embeds_texts ? (
          <label class="choice">
            <input type="checkbox" name="embeds" />
            <span>
              Let the project's provider make vectors for rows without one. This sends it the texts,
              and it may charge for them.
            </span>
          </label>
        ) : (
          <p class="soft">This project has no embedding provider: every row needs a vector.</p>
        )}
        <div class="buttons">
          {isSending ? (
            <Button act={() => stopping.current?.abort()}>Stop</Button>
          ) : (
            <button type="submit" class="primary">
              Upload
            </button>
          )}
        </div>
      </form>
      {phase !== 'ready' && (
        <section aria-label="Upload" aria-busy={isSending ? 'true' : 'false'}>
          {isSending && <progress value={String(sent.share)} max="1" aria-label="Progress" />}
          <h2 aria-live="polite">{summaryOf(sent, phase)}</h2>
          {sent.waits !== '' && <p class="soft">{sent.waits}</p>}
          {sent.hasLost && sent.kept > 0 && (
            <p>An answer was lost: some texts that were there already may be from this upload.</p>
          )}
          {sent.ignored.length > 0 && (
            <p>Left out, since the server has no such fields: {sent.ignored.join(', ')}</p>
          )}
          <RefusalNote refusal={refusal} />
          {phase === 'stopped' && (
            <p>Upload the file again to go on: what is stored already is skipped.</p>
          )}
          <Refused sent={sent} />
          {!isSending && sent.stored + sent.replaced + sent.kept > 0 && (
            <p>
              <a href={`../${frame.project}`}>Look at the texts</a>
            </p>
          )}
        </section>
      )}
    </>
  )
}

const parquetScript = new URL(island?.dataset['parquet'] ?? '', location.href).href
const accepted = '.ndjson,.jsonl,.csv,.tsv,.gz,.parquet,.pq'

const Columns = ({ dimensions }: { readonly dimensions: number | undefined }) => (
  <details>
    <summary>What the file contains</summary>
    <p>
      Each line of NDJSON is one text, as the API takes it:{' '}
      <code>{'{"text_id": "luke-6-20", "vector": […], "text": "…", "metadata": {…}}'}</code>
    </p>
    <p>
      Tables have the columns text_id (or id), text, vector (or embedding, as a JSON array; or{' '}
      {dimensions ?? 'one'} numbered columns such as v0, v1, …) and metadata (JSON). All others
      become metadata: ref.book becomes book within ref.
    </p>
  </details>
)

function summaryOf(
  { stored, replaced, kept, refused, share }: Sent,
  phase: State['phase'],
): string {
  const numbers = [
    `${counted(stored)} stored`,
    replaced > 0 && `${replaced.toLocaleString('en-US')} replaced`,
    kept > 0 && `${kept.toLocaleString('en-US')} there already`,
    refused.length > 0 && `${refused.length} refused`,
  ]
  const said = numbers.filter((part) => part !== false).join(', ')
  if (phase === 'sending') return `${Math.round(100 * share)} %: ${said}`
  if (phase !== 'ended') return `Stopped: ${said}`
  return stored + replaced + kept + refused.length === 0 ? 'The file has no rows' : `Done: ${said}`
}

const Refused = ({ sent: { refused } }: { readonly sent: Sent }) => (
  <>
    {refused.length > 0 && (
      <ul class="projects" aria-label="Refused rows">
        {refused.map(({ place, detail }) => (
          <li key={place}>
            <strong>{place}</strong>: {detail}
          </li>
        ))}
      </ul>
    )}
    {refused.length >= maxRefused && (
      <p>
        Nothing more was read, because {maxRefused} rows were refused. Mend them, and upload again.
      </p>
    )}
  </>
)
