import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { isProvider } from '../../src/db/endpoints.ts'
import { call } from '../call.ts'
import { Button, counted, Facts, LoadNote, Notice, printNumber } from '../elements.tsx'
import { FormField, StepForm } from '../form.tsx'
import { useAnswer } from '../loading.ts'
import { ModelSource, useModelChoice } from '../new-project/model-choice.tsx'
import type { textIn } from '../text-in.ts'
import { type Managed, projectPath } from './managed.ts'

type Project = Schemas['Project']
type Instance = Schemas['Instance']

export function ModelPanel({ project, changed }: Managed) {
  const { instance_owner: owner, instance_handle: handle, model, dimensions } = project
  const path = handle === undefined ? undefined : `v1/llm-services/${owner}/${handle}`
  const [isChanging, change] = useState(false)
  // Who only has a project with it may not read it.
  const { value: instance, reload } = useAnswer<Instance>(path)
  const done = (words: string) => {
    change(false)
    reload()
    changed(words)
  }
  const isAsked = instance !== undefined && isProvider(instance.endpoint)
  const ofProvider = project.embeds_texts ? 'only its owner sees it' : 'none: vectors are uploaded'
  return (
    <>
      {handle === undefined && (
        <Notice kind="warning">Its model was deleted with the user who had described it.</Notice>
      )}
      <Facts
        facts={[
          ['Model', model],
          ['Dimensions', dimensions && printNumber(dimensions)],
          ['Described as', handle && `${owner}/${handle}`],
          ['Provider', handle && (isAsked ? instance.endpoint : ofProvider)],
          ['Key of the provider', isAsked ? (instance.has_api_key ? 'stored' : 'none') : undefined],
        ]}
      />
      {isAsked && owner === project.owner && !isChanging && (
        <ProviderKey path={path ?? ''} done={done} />
      )}
      {isChanging ? (
        <OtherModel project={project} done={done} cancel={() => change(false)} />
      ) : (
        <div class="buttons">
          <Button act={() => change(true)}>Use another model or provider</Button>
        </div>
      )}
    </>
  )
}

interface StepProps {
  readonly done: (words: string) => void
}

function ProviderKey({ path, done }: StepProps & { readonly path: string }) {
  const replace = async (api_key_encrypted: string) => {
    await call<unknown>(path, { method: 'PATCH', body: { api_key_encrypted } })
    done('Replaced the key of the provider')
  }
  return (
    <StepForm action="Replace the key" save={(text) => replace(text('key'))}>
      <FormField name="key" type="password" label="New key of the provider" required>
        For all projects with this model. It is stored encrypted, and never shown again.
      </FormField>
    </StepForm>
  )
}

interface OtherProps extends StepProps {
  readonly project: Project
  readonly cancel: () => void
}

/** The instance that the project has stays as it is, since others may use it. */
function OtherModel({ project, done, cancel }: OtherProps) {
  const choice = useModelChoice(project.owner)
  if (choice.models === undefined) return <LoadNote of={choice.loaded} />
  const save = async (text: ReturnType<typeof textIn>) => {
    await putInstance(await choice.instanceOf(text))
    done('Changed the model')
  }
  return (
    <StepForm action="Use this model" watched={choice.watched} {...{ save, cancel }}>
      {project.embedding_count > 0 && (
        <Notice kind="warning">
          {counted(project.embedding_count)} stay with their vectors. So choose another way to{' '}
          {project.model}, with {project.dimensions} dimensions: vectors of two models cannot be
          compared. For another model, empty the project first.
        </Notice>
      )}
      <ModelSource choice={choice} />
    </StepForm>
  )
}

/** Replaces the project, by PUT, with one that differs in its instance. */
async function putInstance([instance_owner, instance_handle]: readonly [string, string]) {
  const { data } = await call<Project>(projectPath)
  const body = { ...data, instance_owner, instance_handle }
  await call<unknown>(projectPath, { method: 'PUT', body })
}
