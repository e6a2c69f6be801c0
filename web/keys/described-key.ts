import type { Schemas } from '../../clients/typescript/src/client.ts'
import { textIn } from '../text-in.ts'

type NewKey = Schemas['NewKey']

export function describedKey(form: FormData): NewKey {
  const text = textIn(form)
  const others = text('projects').split(/[\s,]+/)
  const projects = [...form.getAll('project').map(String), ...others].filter((name) => name !== '')
  const [description, end] = [text('description'), text('end')]
  return {
    key_handle: text('name'),
    access: text('access') === 'write' ? 'write' : 'read',
    ...(description !== '' && { description }),
    // Sent even if no project is chosen: the service then refuses the key, whereas without
    // `projects` the key would cover all of them.
    ...(text('reach') === 'some' && { projects: [...new Set(projects)] }),
    ...(end !== '' && { expires_at: `${end}T23:59:59Z` }),
  }
}
