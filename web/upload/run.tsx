import { useLayoutEffect, useRef, useState } from 'hono/jsx/dom'
import { SemblanceError } from '../../clients/typescript/src/error.ts'
import { asRefusal } from '../call.ts'
import type { Framed } from '../project-frame.tsx'
import { type Checked, checkFile } from './check.ts'
import type { Choice, GivenFile } from './columns-form.tsx'
import { Asking, atStart, type Progress, Sending, UploadOutcome } from './run-states.tsx'
import { createSending, settled } from './send.ts'

interface Props {
  readonly target: Framed
  readonly given: GivenFile
  readonly choice: Choice
  /** Leads back to the columns. */
  readonly change: () => void
  /** Leads back to the choice of a file. */
  readonly restart: () => void
}

/** Checks a file, asks about rows that cannot be sent as they are, and sends the others. */
export function UploadRun(props: Props) {
  const { target, given, choice, change, restart } = props
  const upload = useUpload(props)
  const { phase } = upload.progress
  const isBusy = phase === 'checking' || phase === 'sending'
  const shown = { ...upload, target, change, restart }
  useLayoutEffect(() => {
    if (!isBusy) return
    const warn = (event: Event) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isBusy])
  return (
    <section class="panel upload" aria-label="Upload" aria-busy={isBusy ? 'true' : 'false'}>
      {isBusy && <Sending {...shown} />}
      {phase === 'asking' && <Asking {...shown} />}
      {!isBusy && phase !== 'asking' && <UploadOutcome {...shown} />}
      {phase === 'checking' && <p class="soft">{given.source.file.name}</p>}
      {choice.replaces && isBusy && <p class="soft">Texts that are there already are replaced.</p>}
    </section>
  )
}

function useUpload({ target, given: { source, mapping }, choice }: Props) {
  const [progress, set] = useState(atStart)
  const add = (more: Partial<Progress>) => set((before) => ({ ...before, ...more }))
  const stopping = useRef<AbortController | null>(null)
  const isPausing = useRef(false)
  const sending = useRef<ReturnType<typeof createSending> | null>(null)
  const row = { fileName: source.file.name, dimensions: target.project.dimensions, mapping }
  const fail = (error: unknown) => {
    // What is wrong with a file stays so.
    const phase = error instanceof SemblanceError ? 'failed' : 'unreadable'
    add({ phase, refusal: asRefusal(error) })
  }
  const goOn = () => {
    const abort = new AbortController()
    stopping.current = abort
    isPausing.current = false
    set((before) => ({
      ...{ ...before, phase: 'sending', refusal: undefined, isPausing: false },
      began: { at: performance.now(), settled: settled(before.sent) },
    }))
    const rest = (phase: 'ended' | 'paused') => {
      add({ phase })
      target.reload()
    }
    sending
      .current?.(abort.signal, () => isPausing.current === true)
      .then(
        (isDone) => rest(isDone ? 'ended' : 'paused'),
        // Loading the project anew would fail as well, and show that instead.
        (error: unknown) => (abort.signal.aborted ? rest('paused') : fail(error)),
      )
  }
  const send = (checked: Checked, embeds: boolean) => {
    const options = { source, row, checked, replaces: choice.replaces, embeds }
    sending.current = createSending(options, (sent) => add({ sent }))
    add({ checked, total: checked.good - (embeds ? 0 : checked.lacking) })
    goOn()
  }
  useLayoutEffect(() => {
    const abort = new AbortController()
    stopping.current = abort
    checkFile(source, row, abort.signal, (share) => add({ share })).then(
      (checked) => {
        const isClear = checked.refused.length === 0 && (choice.embeds || checked.lacking === 0)
        if (isClear) send(checked, choice.embeds)
        else add({ phase: 'asking', checked })
      },
      (error: unknown) => !abort.signal.aborted && fail(error),
    )
    return () => stopping.current?.abort()
  }, [])
  const pause = () => {
    isPausing.current = true
    add({ isPausing: true })
  }
  return { progress, send, goOn, pause, stop: () => stopping.current?.abort() }
}
