import { useLayoutEffect, useRef, useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { isProvider } from '../src/db/endpoints.ts'
import { usualBudget } from '../src/db/text-query-columns.ts'
import { asRefusal, call, type RefusedCall } from './call.ts'
import { Empty, RefusalNote } from './elements.tsx'
import { FormChoice, FormField, FormSelect } from './form.tsx'
import { frame, storedKey } from './frame.ts'
import { KeyBar, KeyForm } from './key-bar.tsx'
import { useAnswer, useLoaded } from './loading.ts'
import { type Described, type Instances, ownInstance } from './new-project/instances.ts'
import { ModelFields, OwnVectors, SearchByMeaning } from './new-project/model-fields.tsx'
import { presetsOf, usualStandard } from './new-project/presets.ts'

type Me = Schemas['Me']

export function NewProjectPage() {
  const [keyNumber, count] = useState(0)
  const changed = () => count((before) => before + 1)
  const hasKey = storedKey() !== undefined
  const path = hasKey ? 'v1/me?limit=1' : undefined
  const { value: me, refusal } = useAnswer<Me>(path, `${keyNumber}`)
  const user = me?.user_handle
  return (
    <>
      <KeyBar me={hasKey ? me : undefined} changed={changed} />
      <div class="head">
        <h1>New project</h1>
      </div>
      {!hasKey && (
        <Empty title="A key is needed" icon="key">
          <p>A project belongs to the user whose key makes it.</p>
          <KeyForm changed={changed} />
        </Empty>
      )}
      <RefusalNote refusal={hasKey ? refusal : undefined} />
      {hasKey && me?.is_admin === true && (
        <p>
          The administrator owns no projects. Use the key of a user;{' '}
          <a href={`${frame.base}docs/guide/first-corpus`}>how to create one</a>.
        </p>
      )}
      {hasKey && me !== undefined && user !== undefined && (
        <ProjectForm key={user} user={user} me={me} />
      )}
    </>
  )
}

interface Made {
  readonly of: Described
  readonly handle: string
}

const textIn = (given: FormData | undefined) => (name: string) => `${given?.get(name) ?? ''}`.trim()

interface FormProps {
  readonly user: string
  readonly me: Me
}

function ProjectForm({ user, me }: FormProps) {
  const { value, refusal: unread } = useLoaded(user, () => loadModels(user))
  const [refusal, refuse] = useState<RefusedCall | undefined>(undefined)
  const [given, read] = useState<FormData | undefined>(undefined)
  const form = useRef<HTMLFormElement | null>(null)
  /** Made for a project that was refused afterwards, perhaps for its name. */
  const made = useRef<Made | null>(null)
  const readAgain = () => read(new FormData(form.current ?? undefined))
  const text = textIn(given)
  const source = text('source')
  // What is typed into fields that were not there before.
  useLayoutEffect(readAgain, [value, source, text('preset')])
  if (value === undefined)
    return unread ? <RefusalNote refusal={unread} /> : <p class="soft">Loading…</p>
  const { instances, presets } = value
  const used = instances.find((each) => nameOf(each) === text('instance'))
  const asks = source === 'model' || (source === 'known' && used !== undefined && isAsked(used))
  const described = () => describedIn(form.current, value)
  const instance = async (): Promise<string> => {
    if (source === 'known') return text('instance')
    const of = described()
    if (JSON.stringify(made.current?.of) !== JSON.stringify(of))
      made.current = { of, handle: await ownInstance(user, of) }
    return `${user}/${made.current?.handle}`
  }
  const create = (event: Event) => {
    event.preventDefault()
    refuse(undefined)
    createProject(user, new FormData(form.current ?? undefined), instance).then(
      (handle) => location.assign(`${user}/${handle}/upload`),
      (error: unknown) => refuse(asRefusal(error)),
    )
  }
  const isFirstKey = me.key === undefined
  return (
    <form class="panel fields" ref={form} onSubmit={create} onInput={readAgain}>
      <FormField
        name="handle"
        label="Name"
        placeholder="verses"
        help="Letters, digits, dots, - and _. It becomes part of the address."
        required
      />
      <FormField name="description" label="Description (optional)" />
      <Sources hasInstances={instances.length > 0} />
      {source !== 'known' && source !== '' && !isFirstKey && (
        <p class="note">Only your first key may describe a model.</p>
      )}
      {source === 'files' && <OwnVectors />}
      {source === 'model' && (
        <ModelFields
          user={user}
          presets={presets}
          chosen={text('preset') || 'ollama'}
          described={described}
          endpoint={text('endpoint')}
          hosts={me.embedding_hosts}
        />
      )}
      {source === 'known' && (
        <FormSelect
          name="instance"
          label="Model"
          options={Object.fromEntries(instances.map((each) => [nameOf(each), wordsFor(each)]))}
        />
      )}
      {asks && isFirstKey && <SearchByMeaning budget={usualBudget.requests} />}
      <FormChoice
        type="checkbox"
        name="public"
        value="yes"
        label="Public"
        help="Everybody who reaches this server can read and search it without a key."
      />
      <RefusalNote refusal={refusal} />
      <div class="buttons">
        <button type="submit" class="primary">
          Create the project
        </button>
      </div>
    </form>
  )
}

const Sources = ({ hasInstances }: { readonly hasInstances: boolean }) => (
  <fieldset>
    <legend>Where do the vectors come from?</legend>
    <FormChoice
      name="source"
      value="model"
      label="A model makes them"
      help="Files need only texts, and you can search by meaning."
      checked={!hasInstances}
    />
    <FormChoice
      name="source"
      value="files"
      label="My files have them"
      help="This server asks no model. You search by words, by similar texts, or by vector."
    />
    {hasInstances && (
      <FormChoice
        name="source"
        value="known"
        label="As in another project"
        help="With a model that you have described before, or that is shared with you."
        checked
      />
    )}
  </fieldset>
)

type Instance = Schemas['Instance']
const nameOf = ({ owner, instance_handle: handle }: Instance) => `${owner}/${handle}`
const isAsked = ({ endpoint }: Instance) => isProvider(endpoint)
const wordsFor = (instance: Instance) =>
  `${instance.model}, ${instance.dimensions} dimensions${isAsked(instance) ? '' : ', no provider'} (${nameOf(instance)})`

type Standards = { readonly standards: readonly Schemas['ApiStandard'][] }
type Definitions = { readonly definitions: readonly Schemas['Definition'][] }

async function loadModels(user: string) {
  const [own, known, { data }] = await Promise.all([
    call<Instances>(`v1/llm-services/${user}`),
    call<Definitions>('v1/llm-definitions/_system'),
    call<Standards>('v1/api-standards'),
  ])
  return {
    instances: own.data.instances,
    presets: presetsOf(known.data.definitions, data.standards),
    standard: usualStandard(data.standards),
  }
}

type Models = Awaited<ReturnType<typeof loadModels>>

function describedIn(form: HTMLFormElement | null, { presets, standard }: Models): Described {
  const text = textIn(new FormData(form ?? undefined))
  return {
    endpoint: text('endpoint'),
    standard: presets[text('preset')]?.standard ?? standard,
    model: text('model'),
    dimensions: Number(text('dimensions')),
    providerKey: text('provider-key'),
  }
}

/** @param instance owner and handle of what it uses @returns the handle of the project */
async function createProject(user: string, given: FormData, instance: () => Promise<string>) {
  const text = textIn(given)
  const [owner = '', handle = ''] = (await instance()).split('/')
  const budget = Number(text('budget'))
  const { data } = await call<Schemas['WrittenProject']>(`v1/projects/${user}`, {
    body: {
      ...{ project_handle: text('handle'), instance_owner: owner, instance_handle: handle },
      ...(text('description') !== '' && { description: text('description') }),
      public_read: given.has('public'),
      ...(given.has('audience') && { text_queries: text('audience') }),
      ...(given.has('budget') &&
        budget !== usualBudget.requests && { text_query_budget: { requests: budget } }),
    },
  })
  return data.project_handle
}
