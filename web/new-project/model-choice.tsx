import { useLayoutEffect, useRef, useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { isProvider } from '../../src/db/endpoints.ts'
import { call } from '../call.ts'
import { Notice } from '../elements.tsx'
import { FormChoice, FormSelect } from '../form.tsx'
import { useLoaded } from '../loading.ts'
import { textIn } from '../text-in.ts'
import { type Described, type Instances, ownInstance } from './instances.ts'
import { ModelFields, OwnVectors } from './model-fields.tsx'
import { presetsOf, usablePreset, usualStandard } from './presets.ts'

type ModelChoice = ReturnType<typeof useModelChoice>

/** What somebody chooses in the fields of `ModelSource`, within a form that is `watched`. */
export function useModelChoice(user: string) {
  const loaded = useLoaded(user, () => loadModels(user))
  const models = loaded.value
  const [given, read] = useState<FormData | undefined>(undefined)
  const form = useRef<HTMLFormElement | null>(null)
  /** Made for a project that was refused afterwards, perhaps for its name. */
  const made = useRef<{ of: Described; handle: string } | null>(null)
  const readAgain = () => read(new FormData(form.current ?? undefined))
  const text = textIn(given)
  const source = text('source')
  // What is typed into fields that were not there before.
  useLayoutEffect(readAgain, [models, source, text('preset')])
  const used = models?.instances.find((each) => nameOf(each) === text('instance'))
  const describedIn = (read: typeof text): Described => ({
    endpoint: read('endpoint'),
    standard: models?.presets[read('preset')]?.standard ?? models?.standard ?? '',
    model: read('model'),
    dimensions: Number(read('dimensions')),
    providerKey: read('provider-key'),
  })
  /** Makes the instance if there is none of this kind. @returns its owner and handle */
  const instanceOf = async (
    sent: typeof text,
  ): Promise<readonly [owner: string, handle: string]> => {
    const [owner = '', handle = ''] = sent('instance').split('/')
    if (source === 'known') return [owner, handle]
    const of = describedIn(sent)
    if (JSON.stringify(made.current?.of) !== JSON.stringify(of))
      made.current = { of, handle: await ownInstance(user, of) }
    return [user, made.current?.handle ?? '']
  }
  /** Whether the server asks a provider for vectors. */
  const asks = source === 'model' || (source === 'known' && used !== undefined && isAsked(used))
  const watched = { ref: form, onInput: readAgain }
  const described = describedIn(text)
  return { user, loaded, models, watched, text, source, asks, described, instanceOf }
}

/** Where the vectors come from. */
export function ModelSource({ choice }: { readonly choice: ModelChoice }) {
  const { user, source, text, described } = choice
  const { instances = [], presets = {}, me } = choice.models ?? {}
  const hosts = me?.embedding_hosts ?? []
  const known = Object.fromEntries(instances.map((each) => [nameOf(each), wordsFor(each)]))
  return (
    <>
      <Sources hasInstances={instances.length > 0} />
      {source !== 'known' && source !== '' && me?.key !== undefined && (
        <Notice kind="warning">Only your first key may describe a model.</Notice>
      )}
      {source === 'files' && <OwnVectors />}
      {source === 'model' && (
        <ModelFields
          {...{ user, presets, described }}
          chosen={text('preset') || usablePreset(presets, hosts)}
          hosts={hosts}
        />
      )}
      {source === 'known' && <FormSelect name="instance" label="Model" options={known} />}
    </>
  )
}

const Sources = ({ hasInstances }: { readonly hasInstances: boolean }) => (
  <fieldset>
    <legend>Where do the vectors come from?</legend>
    <FormChoice name="source" value="model" label="A model makes them" checked={!hasInstances}>
      Files need only texts, and you can search by meaning.
    </FormChoice>
    <FormChoice name="source" value="files" label="My files have them">
      This server asks no model. You search by words, by similar texts, or by vector.
    </FormChoice>
    {hasInstances && (
      <FormChoice name="source" value="known" label="As in another project" checked>
        With a model that you have described before, or that is shared with you.
      </FormChoice>
    )}
  </fieldset>
)

type Instance = Schemas['Instance']
const nameOf = ({ owner, instance_handle: handle }: Instance) => `${owner}/${handle}`
const isAsked = ({ endpoint }: Instance) => isProvider(endpoint)
const wordsFor = (instance: Instance) =>
  `${instance.model}, ${instance.dimensions} dimensions${isAsked(instance) ? '' : ', no provider'} (${nameOf(instance)})`

type Standards = { readonly standards: Schemas['ApiStandard'][] }
type Definitions = { readonly definitions: Schemas['Definition'][] }

async function loadModels(user: string) {
  const [me, own, known, { data }] = await Promise.all([
    call<Schemas['Me']>('v1/me?limit=1'),
    call<Instances>(`v1/llm-services/${user}`),
    call<Definitions>('v1/llm-definitions/_system'),
    call<Standards>('v1/api-standards'),
  ])
  return {
    me: me.data,
    instances: own.data.instances,
    presets: presetsOf(known.data.definitions, data.standards),
    standard: usualStandard(data.standards),
  }
}
