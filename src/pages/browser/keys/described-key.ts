import type { components } from '../../../client/api.ts'

type NewKey = components['schemas']['NewKey']

/** What the form of a new key says, as the API takes it. */
export function describedKey(form: FormData): NewKey {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  const others = text('projects').split(/[\s,]+/)
  const projects = [...form.getAll('project').map(String), ...others].filter((name) => name !== '')
  const [description, end] = [text('description'), text('end')]
  return {
    key_handle: text('name'),
    access: text('access') === 'write' ? 'write' : 'read',
    ...(description !== '' && { description }),
    // Also where none is chosen: the service refuses a key for none, rather than to give one for all.
    ...(text('reach') === 'some' && { projects: [...new Set(projects)] }),
    ...(end !== '' && { expires_at: `${end}T23:59:59Z` }),
  }
}
