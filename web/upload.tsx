import { useLayoutEffect, useState } from 'hono/jsx/dom'
import { Loading, RefusalNote } from './elements.tsx'
import { island } from './frame.ts'
import { useStep } from './loading.ts'
import { type Framed, framed } from './project-frame.tsx'
import { type Choice, ColumnsForm, type GivenFile } from './upload/columns-form.tsx'
import { recordsOf, sourceOf } from './upload/file-records.ts'
import { firstRecords, guessedMapping } from './upload/mapping.ts'
import { UploadRun } from './upload/run.tsx'

interface State {
  readonly given?: GivenFile
  /** Set once the file is to be sent. */
  readonly choice?: Choice
}

/** A file is chosen, then what its columns are for; then it is checked and sent. */
function Upload(target: Framed) {
  const [{ given, choice }, set] = useState<State>({})
  const restart = () => set({})
  const read = async (file: File) =>
    set({ given: await readBeginning(file, target.project.dimensions) })
  if (given === undefined) return <FileForm read={read} />
  if (choice !== undefined) {
    return <UploadRun {...{ target, given, choice, restart }} change={() => set({ given })} />
  }
  return (
    <ColumnsForm
      {...{ target, given, restart }}
      change={(mapping) => set({ given: { ...given, mapping } })}
      start={(chosen) => set({ given, choice: chosen })}
    />
  )
}

export const UploadPage = framed(Upload, { needs: 'mayWrite' })

const parquetScript = new URL(island?.dataset['parquet'] ?? '', location.href).href

async function readBeginning(file: File, dimensions: number | undefined): Promise<GivenFile> {
  const source = await sourceOf(file, parquetScript)
  const sample = await firstRecords(recordsOf(source))
  const [first] = sample
  if (first === undefined) throw new Error('The file has no rows.')
  const rows = sample.flatMap((record) => ('values' in record ? [record.values] : []))
  if (rows.length === 0 && 'problem' in first) throw new Error(`${first.place}: ${first.problem}.`)
  return { source, sample, mapping: guessedMapping(rows, dimensions) }
}

const accepted = '.csv,.tsv,.txt,.ndjson,.jsonl,.json,.gz,.parquet,.pq'

function FileForm({ read }: { readonly read: (file: File) => Promise<void> }) {
  const { isBusy, refusal, run } = useStep()
  const take = (files: FileList | null | undefined) => {
    const [file] = files ?? []
    if (file !== undefined) run(() => read(file))
  }
  const choose = ({ currentTarget: input }: Event) =>
    input instanceof HTMLInputElement && take(input.files)
  // Dropped beside the input, a file would be opened in place of the page.
  useLayoutEffect(() => {
    const abort = new AbortController()
    addEventListener('dragover', (event) => event.preventDefault(), abort)
    const drop = (event: DragEvent) => {
      event.preventDefault()
      take(event.dataTransfer?.files)
    }
    addEventListener('drop', drop, abort)
    return () => abort.abort()
  }, [])
  return (
    <section class="panel upload" aria-busy={isBusy ? 'true' : 'false'}>
      <div class="field">
        <label for="file">Choose a file, or drop it here</label>
        <input id="file" type="file" accept={accepted} onChange={choose} />
      </div>
      <p class="soft">
        A spreadsheet saved as CSV or TSV, JSON, NDJSON or Parquet, also packed as .gz. You see its
        first rows before anything is sent.
      </p>
      {isBusy && <Loading />}
      <RefusalNote refusal={refusal} />
    </section>
  )
}
