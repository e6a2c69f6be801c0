import { useEffect, useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call, RefusedCall } from '../call.ts'
import { Moment, RefusalNote } from '../elements.tsx'
import { frame } from '../frame.ts'

type Key = Schemas['Key']
export type Issued = Schemas['IssuedKey']
type Step = 'rotate' | 'revoke'

interface Props {
  readonly known: Key
  /** The API path of the user's keys. */
  readonly path: string
  readonly changed: (words: string, key?: Issued) => void
}

/** Shows a key and the actions on it. */
export function KeyItem({ known, path, changed }: Props) {
  const [asked, ask] = useState<Step | undefined>(undefined)
  const [refusal, refuse] = useState<RefusedCall | undefined>(undefined)
  const name = known.key_handle
  const act = async (step: Step) => {
    const place = `${path}/${encodeURIComponent(name)}`
    if (step === 'revoke') {
      await call<unknown>(place, { method: 'DELETE' })
      return changed(`${name} is revoked.`)
    }
    const { data } = await call<Issued>(`${place}/rotate`, { method: 'POST' })
    ask(undefined)
    changed(`${name} was rotated. The old key no longer works.`, data)
  }
  const start = (step: Step) =>
    act(step).catch((error: unknown) => refuse(error instanceof RefusedCall ? error : undefined))
  return (
    <li class="named">
      <div>
        <h3>{name}</h3>
        {known.description !== undefined && <p class="clamped">{known.description}</p>}
        <Facts known={known} />
        <RefusalNote refusal={refusal} />
      </div>
      {asked === undefined ? (
        <div class="buttons">
          <button type="button" aria-label={`Rotate ${name}`} onClick={() => ask('rotate')}>
            Rotate
          </button>
          <button type="button" aria-label={`Revoke ${name}`} onClick={() => ask('revoke')}>
            Revoke
          </button>
        </div>
      ) : (
        <Confirmation {...{ name, step: asked, start }} cancel={() => ask(undefined)} />
      )}
    </li>
  )
}

function Facts({ known }: { readonly known: Key }) {
  const { access, projects, expires_at: end, last_used_at: used } = known
  const hasEnded = end !== undefined && new Date(end) <= new Date()
  return (
    <dl class="facts">
      <div>
        <dt>Access</dt>
        <dd>{access === 'read' ? 'read' : 'read and write'}</dd>
      </div>
      <div>
        <dt>Projects</dt>
        <dd>{projects === undefined ? 'all' : <Names of={projects} />}</dd>
      </div>
      <div>
        <dt>{hasEnded ? 'Ended' : 'Ends'}</dt>
        <dd class={hasEnded ? 'wrong' : undefined}>
          {end === undefined ? 'never' : <Moment at={end} />}
        </dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd>{used === undefined ? 'never' : <Moment at={used} />}</dd>
      </div>
    </dl>
  )
}

const Names = ({ of: names }: { readonly of: readonly string[] }) => (
  <>
    {names.length === 0 && 'none left'}
    {names.map((name, index) => (
      <span key={name}>
        {index > 0 && ', '}
        <a href={`${frame.base}explore/${name}`}>{name}</a>
      </span>
    ))}
  </>
)

interface ConfirmationProps {
  readonly name: string
  readonly step: Step
  readonly start: (step: Step) => void
  readonly cancel: () => void
}

function Confirmation({ name, step, start, cancel }: ConfirmationProps) {
  const id = `${step}-${name}`
  useEffect(() => document.getElementById(id)?.focus(), [])
  return (
    <fieldset class="buttons">
      <legend>
        {step === 'revoke'
          ? 'The key stops working at once and for ever.'
          : 'The old key stops working at once.'}
      </legend>
      <button type="button" class="primary" onClick={() => start(step)}>
        {step === 'revoke' ? `Revoke ${name}` : `Rotate ${name}`}
      </button>
      <button type="button" id={id} onClick={cancel}>
        Keep it
      </button>
    </fieldset>
  )
}
