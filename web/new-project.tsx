import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { asRefusal, call, RefusedCall } from './call.ts'
import { Empty, RefusalNote } from './elements.tsx'
import { FormChoice, FormField } from './form.tsx'
import { frame, storedKey } from './frame.ts'
import { KeyBar, KeyForm } from './key-bar.tsx'
import { useAnswer } from './loading.ts'

export function NewProjectPage() {
  const [keyNumber, count] = useState(0)
  const changed = () => count((before) => before + 1)
  const hasKey = storedKey() !== undefined
  const { value: me, refusal } = useAnswer<Schemas['Me']>(
    hasKey ? 'v1/me?limit=1' : undefined,
    `${keyNumber}`,
  )
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
      {hasKey && user !== undefined && <ProjectForm key={user} user={user} />}
    </>
  )
}

type Instances = { readonly instances: readonly Schemas['Instance'][] }

function ProjectForm({ user }: { readonly user: string }) {
  const { value, refusal: unread } = useAnswer<Instances>(`v1/llm-services/${user}`)
  const [refusal, refuse] = useState<RefusedCall | undefined>(undefined)
  const [isNew, makeNew] = useState<boolean | undefined>(undefined)
  const instances = value?.instances ?? []
  const needsModel = isNew ?? instances.length === 0
  const create = (event: Event) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    createProject(user, new FormData(event.currentTarget), needsModel).then(
      (handle) => location.assign(`${user}/${handle}/upload`),
      (error: unknown) => refuse(asRefusal(error)),
    )
  }
  if (value === undefined)
    return unread ? <RefusalNote refusal={unread} /> : <p class="soft">Loading…</p>
  return (
    <form class="panel fields" onSubmit={create}>
      <FormField name="handle" label="Name, such as verses: letters, digits, - and _" required />
      <FormField name="description" label="Description (optional)" />
      <fieldset>
        <legend>The model that makes the vectors</legend>
        {instances.map((each, index) => (
          <FormChoice
            key={`${each.owner}/${each.instance_handle}`}
            name="instance"
            value={`${each.owner}/${each.instance_handle}`}
            label={`${each.model}, ${each.dimensions} dimensions (${each.owner}/${each.instance_handle})`}
            checked={index === 0}
            onClick={() => makeNew(false)}
          />
        ))}
        <FormChoice
          name="instance"
          value=""
          label="Another model"
          checked={instances.length === 0}
          onClick={() => makeNew(true)}
        />
      </fieldset>
      {needsModel && <ModelFields />}
      <FormChoice
        type="checkbox"
        name="public"
        value="yes"
        label="Public: everybody who reaches this server can read and search its texts, without a key"
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

type Standards = { readonly standards: readonly Schemas['ApiStandard'][] }

function ModelFields() {
  const { value } = useAnswer<Standards>('v1/api-standards')
  return (
    <>
      <FormField name="model" label="Model, such as all-MiniLM-L6-v2" required />
      <FormField name="dimensions" type="number" label="Dimensions of its vectors" required />
      <details>
        <summary>Where the model is reached (optional)</summary>
        <p>
          Only if this server is to ask the model itself: for vectors of texts, and for searches by
          meaning. The operator of the server must allow its host.
        </p>
        <FormField name="endpoint" type="url" label="Endpoint" />
        <label for="standard">API standard</label>
        <select id="standard" name="standard">
          {value?.standards.map(({ api_standard_handle: handle }) => (
            <option key={handle} value={handle}>
              {handle}
            </option>
          ))}
        </select>
        <FormField name="provider-key" type="password" label="Key of the provider" />
      </details>
    </>
  )
}

/** A name that never exists, for vectors whose model is not asked by the server. */
const noEndpoint = 'https://endpoint.invalid/'

/** @returns the handle of the project */
async function createProject(user: string, form: FormData, needsModel: boolean): Promise<string> {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  const [owner = '', handle = ''] = needsModel
    ? [user, await instanceFor(user, text)]
    : text('instance').split('/')
  const { data } = await call<Schemas['WrittenProject']>(`v1/projects/${user}`, {
    body: {
      ...{ project_handle: text('handle'), instance_owner: owner, instance_handle: handle },
      ...(text('description') !== '' && { description: text('description') }),
      public_read: form.has('public'),
    },
  })
  return data.project_handle
}

/** Makes an instance for a model, unless there is one. @returns its handle */
async function instanceFor(user: string, text: (name: string) => string): Promise<string> {
  const [model, dimensions] = [text('model'), Number(text('dimensions'))]
  const { data } = await call<Instances>(`v1/llm-services/${user}`)
  const own = new Map(
    data.instances.flatMap((each) => (each.owner === user ? [[each.instance_handle, each]] : [])),
  )
  const usual = model
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 80)
  // PUT would replace an instance of another model, which projects use.
  for (const handle of [usual || 'model', `${usual || 'model'}-${dimensions}`]) {
    const there = own.get(handle)
    if (there === undefined) {
      await call<unknown>(`v1/llm-services/${user}/${handle}`, {
        method: 'PUT',
        body: {
          ...{ model, dimensions, api_standard: text('standard') },
          endpoint: text('endpoint') || noEndpoint,
          ...(text('provider-key') !== '' && { api_key_encrypted: text('provider-key') }),
        },
      })
      return handle
    }
    if (there.model === model && there.dimensions === dimensions && text('endpoint') === '')
      return handle
  }
  throw new RefusedCall(
    409,
    `Your instances named '${usual}' are of another model; choose one above.`,
  )
}
