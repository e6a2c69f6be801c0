import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { usualBudget } from '../../src/db/text-query-columns.ts'
import { Button, Notice, RefusalNote } from '../elements.tsx'
import { FormField, FormSelect } from '../form.tsx'
import { frame } from '../frame.ts'
import { useStep } from '../loading.ts'
import { type Described, testModel } from './instances.ts'
import { hostEntry, isAllowed, type Preset } from './presets.ts'

/** What describes a model that the server does not ask. */
export const OwnVectors = () => (
  <>
    <FormField
      name="model"
      label="Model that made the vectors"
      placeholder="all-MiniLM-L6-v2"
      required
    >
      Vectors of two models cannot be compared, so a project has one.
    </FormField>
    <FormField name="dimensions" type="number" label="Dimensions" required>
      How many numbers each vector has.
    </FormField>
  </>
)

interface Props {
  readonly user: string
  readonly presets: Readonly<Record<string, Preset>>
  /** The name of the chosen preset. */
  readonly chosen: string
  /** What is typed so far. */
  readonly described: Described
  /** The hosts that this server may ask. */
  readonly hosts: readonly string[]
}

/** What describes a model that the server asks, with a test. */
export function ModelFields({ user, presets, chosen, described, hosts }: Props) {
  const { isBusy, refusal: refused, run } = useStep()
  const [tested, set] = useState<Tested | undefined>(undefined)
  const preset = presets[chosen]
  const of = JSON.stringify({ ...described, dimensions: undefined })
  const test = () =>
    run(async () => {
      set({ of, chosen })
      set({ of, chosen, dimensions: await testModel(user, described) })
    })
  const found = tested?.chosen === chosen ? tested.dimensions : undefined
  const dimensions = found ?? preset?.dimensions
  const refusal = tested?.of === of ? refused : undefined
  const isForbidden = refusal?.status === 403
  const host = hostEntry(described.endpoint)
  const names = Object.entries(presets).map(([each, { name }]) => [each, name] as const)
  const outcome = () => {
    if (tested?.of !== of) return 'Embeds one word, and fills in the dimensions.'
    if (isForbidden) return 'This server may not ask this host: see the note above.'
    if (refusal !== undefined) return 'It does not work yet.'
    return isBusy ? 'Asking the provider…' : `It works: ${tested.dimensions} dimensions.`
  }
  return (
    <>
      <FormSelect
        name="preset"
        label="Provider"
        value={chosen}
        options={Object.fromEntries(names)}
      />
      <div class="fields" key={chosen}>
        <FormField
          name="endpoint"
          type="url"
          label="Endpoint"
          value={preset?.endpoint ?? ''}
          required
        >
          As this server reaches it: localhost is the server's machine, not yours.
        </FormField>
        {host !== undefined && <Host host={host} hosts={hosts} isRefused={isForbidden} />}
        <FormField name="model" label="Model" value={preset?.model ?? ''} required />
        <FormField name="provider-key" type="password" label="Key of the provider">
          Leave it empty if it needs none. It is stored encrypted, and never shown again.
        </FormField>
        <div class="buttons">
          <Button act={test}>Test</Button>
          <span class="soft" role="status">
            {outcome()}
          </span>
        </div>
        {!isForbidden && <RefusalNote refusal={refusal} />}
        <div key={`${dimensions}`}>
          <FormField
            name="dimensions"
            type="number"
            label="Dimensions"
            value={`${dimensions ?? ''}`}
            required
          />
        </div>
      </div>
    </>
  )
}

interface Tested {
  /** What was described then. */
  readonly of: string
  readonly chosen: string
  readonly dimensions?: number
}

interface HostProps {
  readonly host: string
  readonly hosts: readonly string[]
  /** Whether the server has refused it, although an entry seemed to allow it. */
  readonly isRefused: boolean
}

/** Whether the server may ask the host, and what its operator has to set. */
function Host({ host, hosts, isRefused }: HostProps) {
  const isOpen = isAllowed(host, hosts)
  if (isOpen !== false && !isRefused) {
    const allowed = isOpen ? host : hosts.join(', ')
    return <p class="soft">The operator of this server allows {allowed}.</p>
  }
  return (
    <Notice kind="warning">
      <p>
        {hosts.length === 0
          ? 'This server may not ask any provider yet.'
          : `This server may ask ${hosts.join(', ')}, but not ${host}.`}{' '}
        Ask its operator for{' '}
        <a href={`${frame.base}docs/guide/words#allow-the-host`}>this setting</a> and a restart:
      </p>
      <p>
        <code>SERVICE_EMBEDDINGHOSTS={[...hosts, host].join(',')}</code>
      </p>
    </Notice>
  )
}

const audiences = {
  members: 'Me, and those I share the project with',
  everybody: 'Everybody who may read the project',
  off: 'Nobody',
} as const satisfies Record<Schemas['Project']['text_queries'], string>

interface MeaningProps {
  readonly audience?: keyof typeof audiences
  readonly budget?: number | undefined
}

/** Who may spend what is paid for the model, by default the members some texts a day. */
export const SearchByMeaning = ({ audience = 'members', budget }: MeaningProps) => (
  <>
    <FormSelect
      name="audience"
      label="Who may search by meaning"
      value={audience}
      options={audiences}
    >
      Each search sends its words to the model. A paid provider charges you for that.
    </FormSelect>
    <FormField
      name="requests"
      type="number"
      label="Texts per day"
      value={`${budget ?? usualBudget.requests}`}
      required
    >
      The most that are embedded for searches and for uploads by editors. Your own uploads do not
      count.
    </FormField>
  </>
)
