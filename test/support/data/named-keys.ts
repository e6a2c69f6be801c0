import { call } from '../client.ts'
import type { Project, User } from '../factories.ts'

export const keysOf = ({ handle }: User, ...rest: string[]) =>
  ['', 'v1', 'users', handle, 'keys', ...rest].join('/')
export const nameOf = ({ owner, handle }: Project) => `${owner.handle}/${handle}`

export const show = async (user: User, handle: string) =>
  (await call('GET', keysOf(user, handle), { key: user.key })).body

export const statusOf = async (project: Project, key: string) =>
  (await call('GET', project.path('embeddings'), { key })).status
