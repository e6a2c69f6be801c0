import type { SemblanceError } from '../../clients/typescript/src/error.ts'
import { Button, ButtonLink, counted, Notice, printNumber, RefusalNote } from '../elements.tsx'
import { frame } from '../frame.ts'
import { Icon } from '../icons.tsx'
import type { Framed } from '../project-frame.tsx'
import { type Checked, mostRefused } from './check.ts'
import { Refused } from './refused.tsx'
import { maxRefused, nothingSent, type Sent, settled } from './send.ts'
import { mayEmbed, VectorsNote } from './vectors-note.tsx'

/** How far the upload of a file has come. */
export interface Progress {
  readonly phase: 'checking' | 'asking' | 'sending' | 'paused' | 'failed' | 'unreadable' | 'ended'
  /** The share of the file that is checked. */
  readonly share: number
  readonly checked: Checked | undefined
  /** How many rows are to be sent. */
  readonly total: number
  readonly sent: Sent
  readonly refusal: SemblanceError | undefined
  readonly isPausing: boolean
  /** When sending began or went on, and how many rows were settled then. */
  readonly began: { readonly at: number; readonly settled: number }
}

export const atStart: Progress = {
  ...{ phase: 'checking', share: 0, checked: undefined, total: 0, sent: nothingSent },
  ...{ refusal: undefined, isPausing: false, began: { at: 0, settled: 0 } },
}

interface Props {
  readonly target: Framed
  readonly progress: Progress
  readonly send: (checked: Checked, embeds: boolean) => void
  readonly goOn: () => void
  readonly pause: () => void
  readonly stop: () => void
  readonly change: () => void
  readonly restart: () => void
}

export function Sending({ progress, pause, stop }: Props) {
  const { phase, share, sent, total, isPausing } = progress
  const isChecking = phase === 'checking'
  const done = settled(sent)
  const value = isChecking ? share : done / Math.max(1, total)
  return (
    <>
      <h2 aria-live="polite">
        {isChecking ? 'Checking the file…' : `${printNumber(done)} of ${counted(total)}`}
      </h2>
      <progress value={String(value)} max="1" aria-label="Progress" />
      {!isChecking && sent.waits === '' && <p class="soft">{timeLeft(progress)}</p>}
      {sent.waits !== '' && <Notice kind="warning">{sent.waits}</Notice>}
      {!isChecking && (
        <div class="buttons">
          <Button act={pause} isDisabled={isPausing}>
            {isPausing ? 'Pausing after the texts on their way…' : 'Pause'}
          </Button>
          <Button act={stop}>Stop</Button>
        </div>
      )}
    </>
  )
}

function timeLeft({ began, sent, total }: Progress): string {
  const done = settled(sent) - began.settled
  if (done === 0) return 'Sending the first texts…'
  const seconds = ((performance.now() - began.at) / 1_000 / done) * (total - settled(sent))
  const minutes = Math.ceil(seconds / 60)
  if (seconds < 60) return `About ${10 * Math.ceil(seconds / 10)} s left`
  if (minutes < 60) return `About ${minutes} min left`
  return `About ${counted(Math.ceil(minutes / 60), 'hour')} left`
}

/** Asks what becomes of rows that cannot be sent, and of those without a vector. */
export function Asking({ target, progress: { checked }, send, change, restart }: Props) {
  if (checked === undefined) return null
  const { good, lacking, refused } = checked
  const isCut = refused.length >= mostRefused
  const embeds = mayEmbed(target) && lacking > 0
  const withVectors = good - lacking
  const counts = (count: number) => counted(count, 'row')
  return (
    <>
      {refused.length > 0 && (
        <h2>
          {printNumber(refused.length)} of {counts(good + refused.length)} cannot be uploaded
        </h2>
      )}
      <Refused rows={refused} />
      {isCut && <p>Nothing more was read, because so many rows have problems.</p>}
      {lacking > 0 && !isCut && (
        <VectorsNote
          target={target}
          what={`${counts(lacking)} ${lacking === 1 ? 'has' : 'have'} a text but no vector`}
        />
      )}
      <div class="buttons">
        {!isCut && embeds && (
          <Button kind="primary" icon="upload" act={() => send(checked, true)}>
            Create vectors and upload {counts(good)}
          </Button>
        )}
        {!isCut && withVectors > 0 && (
          <Button
            kind={embeds ? undefined : 'primary'}
            icon="upload"
            act={() => send(checked, false)}
          >
            Upload the other {counts(withVectors)}
          </Button>
        )}
        <Button act={change}>Change the columns</Button>
        <Button act={restart}>Choose another file</Button>
      </div>
    </>
  )
}

/** What has become of the texts, and what can be done now. */
export function UploadOutcome({ progress, goOn, change, restart }: Props) {
  const { phase, sent, refusal, checked, total } = progress
  const isOver = sent.refusesAll !== undefined || sent.refused.length >= maxRefused
  const isDone = phase === 'ended' && !isOver
  const canGoOn = phase === 'paused' || phase === 'failed'
  const refused = [...(checked?.refused ?? []), ...sent.refused]
  const leftOut = isDone ? (checked?.good ?? total) - total : 0
  const inProject = sent.stored + sent.replaced + sent.kept
  const others = [
    [sent.replaced, 'replaced'],
    [sent.kept, 'there already'],
    [refused.length, 'refused'],
    [leftOut, 'left out without a vector'],
  ] as const
  const told = others.map(([count, words]) => (count > 0 ? `, ${printNumber(count)} ${words}` : ''))
  return (
    <>
      <h2 aria-live="polite">
        {isDone && <Icon name="success" />}
        {headingOf(progress, isDone)}
      </h2>
      <p>{`${counted(sent.stored)} stored${told.join('')}`}</p>
      {sent.hasLost && sent.kept > 0 && (
        <p>A response was lost. Texts that it had stored are counted as there already.</p>
      )}
      {sent.ignored.length > 0 && (
        <p>The server does not know these fields and left them out: {sent.ignored.join(', ')}</p>
      )}
      <RefusalNote refusal={refusal} />
      {sent.refusesAll !== undefined ? (
        <Notice kind="error">The reason is the same for every row tried: {sent.refusesAll}</Notice>
      ) : (
        <Refused rows={refused} />
      )}
      {canGoOn && <p>Go on whenever you like: what is stored is not sent again.</p>}
      <div class="buttons">
        {isDone && inProject > 0 && (
          <>
            <ButtonLink kind="primary" icon="search" href={`../${frame.project}`}>
              Search the texts
            </ButtonLink>
            <ButtonLink icon="map" href="map">
              See the map
            </ButtonLink>
          </>
        )}
        {canGoOn && (
          <Button kind="primary" act={goOn}>
            Go on
          </Button>
        )}
        {(isOver || phase === 'unreadable') && <Button act={change}>Change the columns</Button>}
        <Button act={restart}>Upload another file</Button>
      </div>
    </>
  )
}

function headingOf({ phase, sent, total }: Progress, isDone: boolean): string {
  if (isDone) return 'Done'
  if (phase === 'unreadable') return 'The file cannot be read'
  if (sent.refusesAll !== undefined) return 'Stopped: the server refuses every row'
  if (phase === 'ended') return `Stopped after ${printNumber(maxRefused)} refused rows`
  const stopped = phase === 'paused' ? 'Paused' : 'Stopped'
  return `${stopped} after ${printNumber(settled(sent))} of ${counted(total)}`
}
