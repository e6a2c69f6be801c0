import { useState } from 'hono/jsx/dom'
import { asRefusal, type RefusedCall } from './call.ts'
import { Loading, RefusalNote } from './elements.tsx'
import { island } from './frame.ts'
import { ProjectFrame } from './project-frame.tsx'
import { type Choice, ColumnsForm, type Sampled } from './upload/columns-form.tsx'
import { recordsOf, sourceOf } from './upload/file-records.ts'
import { firstRecords, guessedMapping, type Mapping } from './upload/mapping.ts'
import { Run } from './upload/run.tsx'
import type { UploadTarget } from './upload/vectors-note.tsx'

export const UploadPage = () => (
  <ProjectFrame
    needs="mayWrite"
    show={(project, caller, { reload, ...access }) =>
      project !== undefined && <Upload key={caller} target={{ project, access }} reload={reload} />
    }
  />
)

interface State {
  readonly sampled?: Sampled
  readonly mapping?: Mapping
  readonly refusal?: RefusedCall
  readonly isReading?: boolean
  /** Set once the file is to be sent. */
  readonly choice?: Choice
}

interface UploadProps {
  readonly target: UploadTarget
  /** Loads the number of texts again. */
  readonly reload: () => void
}

/** A file is chosen, then what its columns are for; then it is checked and sent. */
function Upload({ target, reload }: UploadProps) {
  const [{ sampled, mapping, refusal, isReading = false, choice }, set] = useState<State>({})
  const choose = (file: File) => {
    set({ isReading: true })
    read(file, target.project.dimensions).then(set, (error) => set({ refusal: asRefusal(error) }))
  }
  const restart = () => set({})
  if (sampled === undefined || mapping === undefined) {
    return <FileForm isReading={isReading} refusal={refusal} choose={choose} />
  }
  if (choice !== undefined) {
    const change = () => set({ sampled, mapping })
    return <Run {...{ target, sampled, mapping, choice, change, restart, reload }} />
  }
  return (
    <ColumnsForm
      {...{ target, sampled, mapping, restart }}
      change={(changed) => set({ sampled, mapping: changed })}
      start={(chosen) => set({ sampled, mapping, choice: chosen })}
    />
  )
}

const parquetScript = new URL(island?.dataset['parquet'] ?? '', location.href).href

async function read(file: File, dimensions: number | undefined): Promise<State> {
  const source = await sourceOf(file, parquetScript)
  const sample = await firstRecords(recordsOf(source))
  const [first] = sample
  if (first === undefined) throw new Error('The file has no rows.')
  const rows = sample.flatMap((record) => ('values' in record ? [record.values] : []))
  if (rows.length === 0 && 'problem' in first) throw new Error(`${first.place}: ${first.problem}.`)
  return { sampled: { source, sample }, mapping: guessedMapping(rows, dimensions) }
}

interface FileProps {
  readonly isReading: boolean
  readonly refusal: RefusedCall | undefined
  readonly choose: (file: File) => void
}

const accepted = '.csv,.tsv,.txt,.ndjson,.jsonl,.json,.gz,.parquet,.pq'

/** A browser takes a file that is dropped on the input, too. */
const FileForm = ({ isReading, refusal, choose }: FileProps) => (
  <section class="panel upload" aria-busy={isReading ? 'true' : 'false'}>
    <div class="field">
      <label for="file">Choose a file, or drop it here</label>
      <input
        id="file"
        type="file"
        accept={accepted}
        onChange={({ currentTarget }: Event) => {
          const [file] = (currentTarget instanceof HTMLInputElement && currentTarget.files) || []
          if (file !== undefined) choose(file)
        }}
      />
    </div>
    <p class="soft">
      A spreadsheet saved as CSV or TSV, JSON, NDJSON or Parquet, also packed as .gz. You see its
      first rows before anything is sent.
    </p>
    {isReading && <Loading />}
    <RefusalNote refusal={refusal} />
  </section>
)
