import { useEffect, useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { asRefusal, call, type RefusedCall } from '../call.ts'
import { Button, Facts, Moment, RefusalNote } from '../elements.tsx'
import { frame } from '../frame.ts'

export type Issued = Schemas['IssuedKey']
type Step = 'rotate' | 'revoke'

interface KnownKey {
  readonly known: Schemas['Key']
}

interface Props extends KnownKey {
  /** The API path of the user's keys. */
  readonly path: string
  readonly changed: (words: string, key?: Issued) => void
}

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
  const start = (step: Step) => act(step).catch((error: unknown) => refuse(asRefusal(error)))
  return (
    <li class="named">
      <div>
        <h3>{name}</h3>
        {known.description !== undefined && <p class="clamped">{known.description}</p>}
        <KeyFacts known={known} />
        <RefusalNote refusal={refusal} />
      </div>
      {asked === undefined ? (
        <div class="buttons">
          <Button label={`Rotate ${name}`} act={() => ask('rotate')}>
            Rotate
          </Button>
          <Button label={`Revoke ${name}`} act={() => ask('revoke')}>
            Revoke
          </Button>
        </div>
      ) : (
        <Confirmation {...{ name, step: asked, start }} cancel={() => ask(undefined)} />
      )}
    </li>
  )
}

function KeyFacts({ known: { access, projects, expires_at: end, last_used_at: used } }: KnownKey) {
  const hasEnded = end !== undefined && new Date(end) <= new Date()
  return (
    <Facts
      facts={[
        ['Access', access === 'read' ? 'read' : 'read and write'],
        ['Projects', projects === undefined ? 'all' : <Names of={projects} />],
        [hasEnded ? 'Ended' : 'Ends', end === undefined ? 'never' : <Moment at={end} />, hasEnded],
        ['Last used', used === undefined ? 'never' : <Moment at={used} />],
      ]}
    />
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
      <Button kind="primary" act={() => start(step)}>
        {step === 'revoke' ? `Revoke ${name}` : `Rotate ${name}`}
      </Button>
      <Button id={id} act={cancel}>
        Keep it
      </Button>
    </fieldset>
  )
}
