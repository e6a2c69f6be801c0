import type { Schemas } from '../clients/typescript/src/client.ts'
import { call } from './call.ts'
import { ButtonLink, Empty, LoadNote } from './elements.tsx'
import { FormChoice, FormField, StepForm } from './form.tsx'
import { KeyedPage } from './keyed-page.tsx'
import { ModelSource, useModelChoice } from './new-project/model-choice.tsx'
import { textIn } from './text-in.ts'

export const NewProjectPage = () => (
  <KeyedPage
    title="New project"
    why="A project belongs to the user whose key makes it."
    show={(me) =>
      me.user_handle === undefined ? (
        <Empty title="The administrator owns no projects" icon="key">
          <p>Use the key of a user.</p>
          <ButtonLink href="admin">Make a user</ButtonLink>
        </Empty>
      ) : (
        <ProjectForm key={me.user_handle} user={me.user_handle} />
      )
    }
  />
)

function ProjectForm({ user }: { readonly user: string }) {
  const choice = useModelChoice(user)
  if (choice.models === undefined) return <LoadNote of={choice.loaded} />
  const create = async (given: FormData) => {
    const isMeant = choice.asks && choice.models?.me.key === undefined
    const handle = await createProject(user, given, isMeant, await choice.instance())
    location.assign(`${user}/${handle}/upload`)
  }
  return (
    <section class="panel">
      <StepForm action="Create the project" kind="primary" save={create} watched={choice.watched}>
        <FormField
          name="handle"
          label="Name"
          placeholder="verses"
          help="Letters, digits, dots, - and _, without spaces. It becomes part of the address."
          pattern="[A-Za-z0-9_\-][A-Za-z0-9_.\-]*"
          required
        />
        <FormField name="description" label="Description (optional)" />
        <ModelSource choice={choice} />
        <FormChoice
          type="checkbox"
          name="public"
          value="yes"
          label="Public"
          help="Everybody who reaches this server can read and search it without a key."
        />
      </StepForm>
    </section>
  )
}

/** @param isMeant whether members may search by meaning @returns the handle of the project */
async function createProject(
  user: string,
  given: FormData,
  isMeant: boolean,
  [instance_owner, instance_handle]: readonly [owner: string, handle: string],
) {
  const text = textIn(given)
  const { data } = await call<Schemas['WrittenProject']>(`v1/projects/${user}`, {
    body: {
      ...{ project_handle: text('handle'), instance_owner, instance_handle },
      ...(text('description') !== '' && { description: text('description') }),
      public_read: given.has('public'),
      ...(isMeant && { text_queries: 'members' }),
    },
  })
  return data.project_handle
}
