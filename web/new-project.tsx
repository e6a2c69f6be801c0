import type { Schemas } from '../clients/typescript/src/client.ts'
import { usualBudget } from '../src/db/text-query-columns.ts'
import { call } from './call.ts'
import { ButtonLink, Empty, LoadNote } from './elements.tsx'
import { FormChoice, FormField, StepForm } from './form.tsx'
import { KeyedPage } from './keyed-page.tsx'
import { ModelSource, useModelChoice } from './new-project/model-choice.tsx'
import { SearchByMeaning } from './new-project/model-fields.tsx'
import type { textIn } from './text-in.ts'

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
  const create = async (text: ReturnType<typeof textIn>) => {
    const handle = await createProject(user, text, await choice.instanceOf(text))
    location.assign(`${user}/${handle}/upload`)
  }
  return (
    <section class="panel">
      <StepForm action="Create the project" kind="primary" save={create} watched={choice.watched}>
        <FormField
          name="handle"
          label="Name"
          placeholder="verses"
          pattern="[A-Za-z0-9_\-][A-Za-z0-9_.\-]*"
          required
        >
          Letters, digits, dots, - and _, without spaces. It becomes part of the address.
        </FormField>
        <FormField name="description" label="Description (optional)" />
        <ModelSource choice={choice} />
        {choice.asks && choice.models.me.key === undefined && <SearchByMeaning />}
        <FormChoice type="checkbox" name="public" value="yes" label="Public">
          Everybody who reaches this server can read and search it without a key.
        </FormChoice>
      </StepForm>
    </section>
  )
}

/** @returns the handle of the project */
async function createProject(
  user: string,
  text: ReturnType<typeof textIn>,
  [instance_owner, instance_handle]: readonly [owner: string, handle: string],
) {
  const [description, audience] = [text('description'), text('audience')]
  const requests = Number(text('requests') || usualBudget.requests)
  const { data } = await call<Schemas['WrittenProject']>(`v1/projects/${user}`, {
    body: {
      ...{ project_handle: text('handle'), instance_owner, instance_handle },
      ...(description !== '' && { description }),
      public_read: text('public') !== '',
      ...(audience !== '' && { text_queries: audience }),
      ...(requests !== usualBudget.requests && { text_query_budget: { requests } }),
    },
  })
  return data.project_handle
}
