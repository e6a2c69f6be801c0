import { asAdmin, call } from '../client.ts'
import { newKey, newSharee, type Project } from '../factories.ts'

interface Loss {
  readonly project: Project
  /** Of somebody who may read or write until `end`. */
  readonly key: string | undefined
  readonly end: () => Promise<unknown>
  /** Of the refusal from then on. */
  readonly kind: string
  readonly status: number
}

type Making = (
  newProject: (fields?: object) => Promise<Project>,
  access: 'read' | 'write',
) => Promise<Loss>

/** What may be lost while a request goes on. */
export const losses: Readonly<Record<string, Making>> = {
  'the share': async (newProject, access) => {
    const project = await newProject()
    const { handle, key } = await newSharee(project, access === 'read' ? 'reader' : 'editor')
    const end = () => call('DELETE', `${project.path()}/share/${handle}`, project.owner)
    return { project, key, end, kind: 'forbidden', status: 403 }
  },
  'the key': async (newProject, access) => {
    const project = await newProject()
    const { owner } = project
    const key = await newKey(owner, { key_handle: 'feed', access })
    const end = () => call('DELETE', `/v1/users/${owner.handle}/keys/feed`, owner)
    return { project, key, end, kind: 'unauthorized', status: 401 }
  },
  'the user': async (newProject) => {
    const project = await newProject()
    const end = () => asAdmin('DELETE', `/v1/users/${project.owner.handle}`)
    return { project, key: project.owner.key, end, kind: 'unauthorized', status: 401 }
  },
  'the project': async (newProject) => {
    const project = await newProject()
    const end = () => call('DELETE', project.path(), project.owner)
    return { project, key: project.owner.key, end, kind: 'not-found', status: 404 }
  },
}

/** The same for who reads without a key. */
export const unpublished: Making = async (newProject) => {
  const project = await newProject({ public_read: true })
  const body = { public_read: false }
  const end = () => call('PATCH', project.path(), { key: project.owner.key, body })
  return { project, key: undefined, end, kind: 'unauthorized', status: 401 }
}
