import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { Button, LoadNote, RefusalNote } from '../elements.tsx'
import { FormField, FormSelect, StepForm } from '../form.tsx'
import { useAnswer, useStep } from '../loading.ts'
import { type Column, Table } from '../table.tsx'
import { textIn } from '../text-in.ts'
import { toast } from '../toast.ts'
import { type Managed, projectPath } from './managed.ts'

type Share = Schemas['Share']

export interface Shares {
  readonly shared_with: readonly Share[]
}

export function SharingPanel({ changed }: Managed) {
  const loaded = useAnswer<Shares>(`${projectPath}/shared-with`)
  const shares = loaded.value?.shared_with
  const { isBusy, refusal, run } = useStep()
  const done = (words: string) => {
    toast(words)
    changed()
    loaded.reload()
  }
  const share = async (given: FormData) => {
    const [user, role] = [textIn(given)('user'), textIn(given)('role')]
    await call<unknown>(`${projectPath}/share`, { body: { share_with_handle: user, role } })
    done(`${user} is now ${role === 'editor' ? 'an editor' : 'a reader'}`)
  }
  const end = async (user: string) => {
    await call<unknown>(`${projectPath}/share/${encodeURIComponent(user)}`, { method: 'DELETE' })
    done(`It is no longer shared with ${user}`)
  }
  const columns: readonly Column<Share>[] = [
    { title: 'User', show: ({ user_handle: user }) => <strong>{user}</strong> },
    { title: 'Role', show: ({ role }) => role },
    {
      title: 'Change',
      show: ({ user_handle: user }) => (
        <Button label={`Remove ${user}`} isBusy={isBusy} act={() => run(() => end(user))}>
          Remove
        </Button>
      ),
    },
  ]
  return (
    <>
      <LoadNote of={loaded} />
      <RefusalNote refusal={refusal} />
      {shares?.length === 0 && <p class="soft">Nobody.</p>}
      {shares !== undefined && shares.length > 0 && (
        <Table
          label="Shares"
          rows={shares}
          columns={columns}
          keyOf={({ user_handle: user }) => user}
        />
      )}
      <StepForm key={JSON.stringify(shares)} action="Share" save={share}>
        <FormField
          name="user"
          label="User"
          help="The handle. For somebody who has a share it changes the role."
          required
        />
        <FormSelect
          name="role"
          label="Role"
          options={{
            reader: 'reader: reads, searches and exports',
            editor: 'editor: also uploads and deletes single texts',
          }}
        />
      </StepForm>
    </>
  )
}
