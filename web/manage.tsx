import { useEffect, useState } from 'hono/jsx/dom'
import type { Schemas } from '../clients/typescript/src/client.ts'
import { asRefusal, call, type RefusedCall } from './call.ts'
import { Button, counted, RefusalNote, typedIn } from './elements.tsx'
import { FormField } from './form.tsx'
import { frame } from './frame.ts'
import { useAnswer } from './loading.ts'
import { ProjectFrame } from './project-frame.tsx'
import { goAndSay } from './toast.ts'

type Project = Schemas['Project']

const path = `v1/projects/${frame.name}`

export const ManagePage = () => (
  <ProjectFrame
    needs="mayManage"
    show={(project, caller, { reload }) =>
      project !== undefined && (
        <div key={caller} class="panels">
          <Publishing project={project} changed={reload} />
          <Model project={project} />
          <Sharing changed={reload} />
          <Deletion />
        </div>
      )
    }
  />
)

/** Runs a step, and keeps why it was refused. */
function useStep() {
  const [refusal, refuse] = useState<RefusedCall | undefined>(undefined)
  const run = (step: () => Promise<void>) => {
    refuse(undefined)
    step().catch((error: unknown) => refuse(asRefusal(error)))
  }
  return { refusal, run }
}

interface Changed {
  readonly changed: () => void
}

function Publishing({ project, changed }: Changed & { readonly project: Project }) {
  const [{ public_read: isPublic, embedding_count: count }, show] = useState(project)
  const [isAsking, ask] = useState(false)
  const { refusal, run } = useStep()
  useEffect(() => {
    if (isAsking) document.querySelector<HTMLElement>('#keep-private')?.focus()
  }, [isAsking])
  const publish = (publicRead: boolean) =>
    run(async () => {
      const { data } = await call<Project>(path, {
        method: 'PATCH',
        body: { public_read: publicRead },
      })
      show(data)
      ask(false)
      changed()
    })
  return (
    <section class="panel" aria-labelledby="publishing">
      <h2 id="publishing">Who can read it</h2>
      <p role="status">
        {isPublic
          ? 'Public: everybody who reaches this server can read, search and export it without a key.'
          : 'Private: only you and those it is shared with can read it.'}
      </p>
      {isAsking && (
        <p class="note">
          Everybody will be able to read, search and export {counted(count)}, with metadata and
          vectors, and the description. What others have copied by then stays with them if you make
          the project private again.
        </p>
      )}
      <RefusalNote refusal={refusal} />
      <div class="buttons">
        {isPublic && <Button act={() => publish(false)}>Make it private</Button>}
        {!isPublic && !isAsking && <Button act={() => ask(true)}>Make it public</Button>}
        {!isPublic && isAsking && (
          <>
            <Button kind="primary" act={() => publish(true)}>
              Publish {frame.name}
            </Button>
            <Button id="keep-private" act={() => ask(false)}>
              Keep it private
            </Button>
          </>
        )}
      </div>
    </section>
  )
}

const Model = ({ project }: { readonly project: Project }) => (
  <section class="panel" aria-labelledby="model">
    <h2 id="model">Model</h2>
    <p>
      {project.model}, {project.dimensions?.toLocaleString('en-US')} dimensions.{' '}
      {!project.embeds_texts &&
        'The project has no embedding provider: its vectors are uploaded, and there is no search by meaning.'}
    </p>
  </section>
)

type Shares = { readonly shared_with: readonly Schemas['Share'][] }

function Sharing({ changed }: Changed) {
  const [times, renew] = useState(0)
  const [said, say] = useState('')
  const { value, refusal: unread } = useAnswer<Shares>(`${path}/shared-with`, `${times}`)
  const { refusal, run } = useStep()
  const done = (words: string) => {
    say(words)
    changed()
    renew((before) => before + 1)
  }
  const share = (event: Event) => {
    event.preventDefault()
    const { currentTarget: form } = event
    if (!(form instanceof HTMLFormElement)) return
    const given = new FormData(form)
    const [user, role] = [String(given.get('user')).trim(), String(given.get('role'))]
    run(async () => {
      await call<unknown>(`${path}/share`, { body: { share_with_handle: user, role } })
      form.reset()
      done(`${user} is now ${role === 'editor' ? 'an editor' : 'a reader'}.`)
    })
  }
  const end = (user: string) =>
    run(async () => {
      await call<unknown>(`${path}/share/${encodeURIComponent(user)}`, { method: 'DELETE' })
      done(`It is no longer shared with ${user}.`)
    })
  return (
    <section class="panel" aria-labelledby="sharing">
      <h2 id="sharing">Shared with</h2>
      <RefusalNote refusal={unread} />
      {value?.shared_with.length === 0 && <p class="soft">Nobody.</p>}
      {value !== undefined && value.shared_with.length > 0 && (
        <ul class="projects">
          {value.shared_with.map(({ user_handle: user, role }) => (
            <li key={user}>
              <strong>{user}</strong> as {role}{' '}
              <Button kind="quiet" label={`End the share of ${user}`} act={() => end(user)}>
                End
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form class="fields" onSubmit={share}>
        <FormField name="user" label="User" required />
        <div class="field">
          <label for="role">Role</label>
          <select id="role" name="role">
            <option value="reader">reader: reads, searches and exports</option>
            <option value="editor">editor: also uploads and deletes single texts</option>
          </select>
        </div>
        <RefusalNote refusal={refusal} />
        <p class="soft" role="status">
          {said}
        </p>
        <div class="buttons">
          <button type="submit">Share</button>
        </div>
      </form>
    </section>
  )
}

function Deletion() {
  const [typed, type] = useState('')
  const { refusal, run } = useStep()
  const remove = (event: Event) => {
    event.preventDefault()
    if (typed.trim() !== frame.name) return
    run(async () => {
      await call<unknown>(path, { method: 'DELETE' })
      goAndSay(`${frame.base}explore`, `Deleted ${frame.name}`)
    })
  }
  return (
    <section class="panel" aria-labelledby="deletion">
      <h2 id="deletion">Delete the project</h2>
      <p>All texts, vectors and metadata of it, and its shares, are gone at once and for ever.</p>
      <form class="fields" onSubmit={remove}>
        <div class="field">
          <label for="name">Type {frame.name} to delete it</label>
          <input
            id="name"
            autocomplete="off"
            spellcheck={false}
            value={typed}
            onInput={(event: Event) => type(typedIn(event))}
          />
        </div>
        <RefusalNote refusal={refusal} />
        <div class="buttons">
          <Button kind="danger" isDisabled={typed.trim() !== frame.name}>
            Delete {frame.name}
          </Button>
        </div>
      </form>
    </section>
  )
}
