import { useState } from 'hono/jsx/dom'
import { call } from '../call.ts'
import { counted } from '../counted.ts'

interface Props {
  /** `owner/handle` */
  readonly name: string
  /** Null for none. */
  readonly scheme: string | null
  /** Of the trial; undefined before it. */
  readonly violationCount: number | undefined
  /** Whether the project has it already. */
  readonly isPresent: boolean
  readonly done: () => void
}

/** Sets what was tried, after a question. */
export function SetScheme({ name, scheme, violationCount, isPresent, done }: Props) {
  const [step, go] = useState<'offer' | 'ask' | 'send' | 'done'>('offer')
  const [problem, say] = useState('')
  if (step === 'done')
    return <p role="status">{scheme === null ? 'The schema is removed.' : 'The schema is set.'}</p>
  if (isPresent || violationCount === undefined) return null
  const offer = scheme === null ? 'Remove the schema' : 'Set this schema'
  const send = () => {
    go('send')
    call(`v1/projects/${name}`, { method: 'PATCH', body: { metadataScheme: scheme } }).then(
      () => {
        go('done')
        done()
      },
      (error: unknown) => {
        say(error instanceof Error ? error.message : String(error))
        go('ask')
      },
    )
  }
  if (step === 'offer')
    return (
      <p class="tools">
        <button type="button" onClick={() => go('ask')}>
          {offer}…
        </button>
      </p>
    )
  return (
    <div class="panel">
      <p>{questionFor(name, scheme, violationCount)}</p>
      {problem !== '' && (
        <p class="refusal" role="alert">
          {problem}
        </p>
      )}
      <p class="tools">
        <button type="button" class="primary" disabled={step === 'send'} onClick={send}>
          {offer}
        </button>
        <button type="button" disabled={step === 'send'} onClick={() => go('offer')}>
          Cancel
        </button>
      </p>
    </div>
  )
}

function questionFor(name: string, scheme: string | null, violations: number): string {
  if (scheme === null) return `From now on ${name} takes texts with any metadata.`
  const stored =
    violations === 0
      ? ''
      : ` What is stored stays as it is: ${counted(violations)} would be refused if uploaded again.`
  return `From now on ${name} takes no text whose metadata does not satisfy it.${stored}`
}
