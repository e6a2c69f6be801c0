import type { Schemas } from '../../clients/typescript/src/client.ts'
import { AskButton } from '../ask.tsx'
import { call } from '../call.ts'
import { CopyField } from '../copy.tsx'
import { Button, counted, LoadNote, RefusalNote } from '../elements.tsx'
import { FormField, FormSelect, StepForm } from '../form.tsx'
import { frame, serverUrl } from '../frame.ts'
import { useAnswer, useStep } from '../loading.ts'
import { type Column, Table } from '../table.tsx'
import { changeProjectFields, type Managed, projectPath } from './managed.ts'

export function PublishingPanel(managed: Managed) {
  const { public_read: isPublic, embedding_count: count } = managed.project
  const { isBusy, refusal, run } = useStep()
  const publish = (public_read: boolean) => {
    const words = `${frame.name} is ${public_read ? 'public' : 'private'}`
    return changeProjectFields(managed, { public_read }, words)
  }
  if (!isPublic)
    return (
      <>
        <p role="status">Private: only you and those it is shared with can read it.</p>
        <div class="buttons">
          <AskButton
            words="Make it public"
            icon="globe"
            action={`Publish ${frame.name}`}
            act={() => publish(true)}
          >
            <p>
              Everybody will be able to read, search and export {counted(count)}, with metadata and
              vectors, and the description. What others have copied by then stays with them if you
              make the project private again.
            </p>
          </AskButton>
        </div>
      </>
    )
  return (
    <>
      <p role="status">
        Public: everybody who reaches this server can read, search and export it without a key, at
        this address:
      </p>
      <CopyField id="address" label="Public address" text={`${serverUrl()}explore/${frame.name}`} />
      <RefusalNote refusal={refusal} />
      <div class="buttons">
        <Button icon="lock" isBusy={isBusy} act={() => run(() => publish(false))}>
          Make it private
        </Button>
      </div>
    </>
  )
}

type Share = Schemas['Share']

export interface Shares {
  readonly shared_with: readonly Share[]
}

const roles = {
  reader: 'reader: reads, searches and exports',
  editor: 'editor: also uploads and deletes single texts',
}

export function SharingPanel({ changed }: Managed) {
  const loaded = useAnswer<Shares>(`${projectPath}/shared-with`)
  const shares = loaded.value?.shared_with
  const { isBusy, refusal, run } = useStep()
  const done = (words: string) => {
    changed(words)
    loaded.reload()
  }
  const share = async (user: string, role: string) => {
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
        <Table label="Shares" rows={shares} columns={columns} keyOf={(each) => each.user_handle} />
      )}
      <StepForm
        key={JSON.stringify(shares)}
        action="Share"
        save={(text) => share(text('user'), text('role'))}
      >
        <FormField name="user" label="User" required>
          The handle. For somebody who has a share it changes the role.
        </FormField>
        <FormSelect name="role" label="Role" options={roles} />
      </StepForm>
    </>
  )
}
