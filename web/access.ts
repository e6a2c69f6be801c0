import type { Schemas } from '../clients/typescript/src/client.ts'
import { frame } from './frame.ts'
import { projectName } from './project-columns.tsx'

/** What a key may do with the project of the page. The API decides; pages show only what it allows. */
export interface ProjectAccess {
  readonly mayWrite: boolean
  readonly mayManage: boolean
  readonly isShared: boolean
  /** Whether it belongs to the owner or to somebody with a share. */
  readonly isMember: boolean
}

export type Right = 'mayWrite' | 'mayManage'

export const noAccess: ProjectAccess = {
  ...{ mayWrite: false, mayManage: false, isShared: false, isMember: false },
}

/** @param me with up to 200 projects */
export function accessOf(me: Schemas['Me']): ProjectAccess {
  const { is_admin: isAdmin, key, user_handle: user, ...page } = me
  const listed = page.projects.find((each) => projectName(each) === frame.name)
  const isLimited = key?.is_limited === true
  const isOwner = user === frame.owner && (!isLimited || listed !== undefined)
  // A share beyond the first page of projects is not known.
  const isUnlisted = listed === undefined && page.projects.length === page.limit
  const isEditor = isOwner || listed?.role === 'editor' || isUnlisted
  const writes = key?.access !== 'read'
  return {
    mayWrite: isAdmin || (writes && isEditor),
    mayManage: isAdmin || (writes && isOwner && !isLimited),
    isShared: listed !== undefined && !isOwner,
    isMember: isAdmin || isOwner || listed !== undefined || isUnlisted,
  }
}
