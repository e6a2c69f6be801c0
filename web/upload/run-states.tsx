import { Button, ButtonLink, counted, Notice, RefusalNote } from '../elements.tsx'
import { frame } from '../frame.ts'
import { type Checked, mostRefused } from './check.ts'
import type { Progress } from './progress.ts'
import { Refused } from './refused.tsx'
import { maxRefused, settled } from './send.ts'
import { mayEmbed, type UploadTarget, VectorsNote } from './vectors-note.tsx'

interface SendingProps {
  readonly progress: Progress
  readonly pause: () => void
  readonly stop: () => void
}

export function Sending({ progress, pause, stop }: SendingProps) {
  const { phase, share, sent, total, isPausing } = progress
  const isChecking = phase === 'checking'
  const done = settled(sent)
  const value = isChecking ? share : done / Math.max(1, total)
  return (
    <>
      <h2 aria-live="polite">
        {isChecking ? 'Checking the file…' : `${done.toLocaleString('en-US')} of ${counted(total)}`}
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
  if (seconds < 60) return `About ${10 * Math.ceil(seconds / 10)} s left`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60
    ? `About ${minutes} min left`
    : `About ${counted(Math.ceil(minutes / 60), 'hour')} left`
}

interface AskingProps {
  readonly target: UploadTarget
  readonly progress: Progress
  readonly send: (checked: Checked, embeds: boolean) => void
  readonly change: () => void
  readonly restart: () => void
}

/** Asks what becomes of rows that cannot be sent, and of those without a vector. */
export function Asking({ target, progress: { checked }, send, change, restart }: AskingProps) {
  if (checked === undefined) return null
  const { good, lacking, refused } = checked
  const isCut = refused.length >= mostRefused
  const canEmbed = mayEmbed(target)
  const withVectors = good - lacking
  const counts = (count: number) => counted(count, 'row')
  return (
    <>
      {refused.length > 0 && (
        <h2>
          {refused.length.toLocaleString('en-US')} of {counts(good + refused.length)} cannot be
          uploaded
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
        {!isCut && canEmbed && lacking > 0 && (
          <Button kind="primary" icon="upload" act={() => send(checked, true)}>
            Create vectors and upload {counts(good)}
          </Button>
        )}
        {!isCut && withVectors > 0 && (
          <Button
            kind={canEmbed && lacking > 0 ? undefined : 'primary'}
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

interface UploadOutcomeProps {
  readonly progress: Progress
  readonly goOn: () => void
  readonly change: () => void
  readonly restart: () => void
}

/** What has become of the texts, and what can be done now. */
export function UploadOutcome({ progress, goOn, change, restart }: UploadOutcomeProps) {
  const { phase, sent, refusal, checked, total } = progress
  const isOver = sent.refusesAll !== undefined || sent.refused.length >= maxRefused
  const isDone = phase === 'ended' && !isOver
  const canGoOn = phase === 'paused' || phase === 'failed'
  const refused = [...(checked?.refused ?? []), ...sent.refused]
  const leftOut = (checked?.good ?? total) - total
  const inProject = sent.stored + sent.replaced + sent.kept
  return (
    <>
      <h2 aria-live="polite">{headingOf(progress, isDone)}</h2>
      <p>
        {[
          `${counted(sent.stored)} stored`,
          sent.replaced > 0 && `${sent.replaced.toLocaleString('en-US')} replaced`,
          sent.kept > 0 && `${sent.kept.toLocaleString('en-US')} there already`,
          refused.length > 0 && `${refused.length.toLocaleString('en-US')} refused`,
          isDone && leftOut > 0 && `${leftOut.toLocaleString('en-US')} left out without a vector`,
        ]
          .filter((part) => part !== false)
          .join(', ')}
      </p>
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
  if (phase === 'ended') return `Stopped after ${maxRefused.toLocaleString('en-US')} refused rows`
  const done = `${settled(sent).toLocaleString('en-US')} of ${counted(total)}`
  return phase === 'paused' ? `Paused after ${done}` : `Stopped after ${done}`
}
