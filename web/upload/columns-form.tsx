import { useState } from 'hono/jsx/dom'
import { Button, counted, Notice } from '../elements.tsx'
import { FormChoice } from '../form.tsx'
import type { Framed } from '../project-frame.tsx'
import type { FileRecord, Source } from './file-records.ts'
import { isEmpty, type Mapping } from './mapping.ts'
import { Preview } from './preview.tsx'
import { rowMaker } from './table-rows.ts'
import { mayEmbed, VectorsNote } from './vectors-note.tsx'

export interface GivenFile {
  readonly source: Source
  /** The first rows. */
  readonly sample: readonly FileRecord[]
  readonly mapping: Mapping
}

export interface Choice {
  readonly replaces: boolean
  /** Whether the project's provider makes the vectors of rows without one. */
  readonly embeds: boolean
}

interface Props {
  readonly target: Framed
  readonly given: GivenFile
  readonly change: (mapping: Mapping) => void
  readonly start: (choice: Choice) => void
  readonly restart: () => void
}

/** Shows the first rows, and asks what the columns are for and where vectors come from. */
export function ColumnsForm({ target, given, change, start, restart }: Props) {
  const { source, sample, mapping } = given
  const [replaces, replace] = useState(false)
  const columnsOf = (role: string) =>
    mapping.flatMap((each) => (each.role === role ? each.columns : []))
  const lacks = (role: string) =>
    !sample.some(
      (record) =>
        'values' in record && columnsOf(role).some((name) => !isEmpty(record.values.get(name))),
    )
  const [lacksVectors, lacksTexts] = [lacks('vector'), lacks('text')]
  const embeds = lacksVectors && mayEmbed(target)
  const isBlocked = lacksVectors && (lacksTexts || !embeds)
  const submit = (event: Event) => {
    event.preventDefault()
    start({ replaces, embeds })
  }
  return (
    <form class="panel upload" onSubmit={submit}>
      <h2>{source.file.name}</h2>
      <p>Check what each column is for.</p>
      <Preview {...{ fileName: source.file.name, sample, mapping, change }} />
      {source.encoding !== 'utf-8' && (
        <p class="soft">
          Read as {source.encoding}. If letters look wrong, save the file as “CSV UTF-8”.
        </p>
      )}
      {columnsOf('text_id').length === 0 && (
        <p>
          No column is a text_id, so the rows are numbered in the order of the file. If a column has
          a different value in each row, choose it as text_id.
        </p>
      )}
      {lacksVectors && lacksTexts && (
        <Notice kind="info">
          Choose “Text” above the column that has the texts, or “Vector” above the vectors.
        </Notice>
      )}
      {lacksVectors && !lacksTexts && (
        <VectorsNote target={target} what="This file has no vectors" />
      )}
      {!isBlocked && <Problems {...given} dimensions={target.project.dimensions} />}
      <FormChoice
        type="checkbox"
        name="replaces"
        value="yes"
        label="Replace texts that are there already"
        onClick={() => replace(!replaces)}
      >
        Otherwise they stay as they are.
      </FormChoice>
      <div class="buttons">
        <Button kind="primary" icon="upload" isDisabled={isBlocked}>
          {embeds ? 'Create vectors and upload' : 'Upload'}
        </Button>
        <Button act={restart}>Choose another file</Button>
      </div>
    </form>
  )
}

interface ProblemsProps extends GivenFile {
  readonly dimensions: number | undefined
}

/** What is wrong with the first rows. */
function Problems({ source, sample, mapping, dimensions }: ProblemsProps) {
  const make = rowMaker({ fileName: source.file.name, dimensions, mapping })
  const rows = sample.map((record, at) => make(record, at + 1))
  const bad = rows.flatMap((row) => ('problem' in row ? [row] : []))
  const [first] = bad
  if (first === undefined) return null
  return (
    <Notice kind="error">
      {first.place}: {first.problem}.
      {bad.length > 1 &&
        ` ${bad.length} of the first ${counted(sample.length, 'row')} have problems.`}
    </Notice>
  )
}
