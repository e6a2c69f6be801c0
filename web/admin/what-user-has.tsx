import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { counted, RefusalNote } from '../elements.tsx'
import { useLoaded } from '../loading.ts'
import type { Instances } from '../new-project/instances.ts'

/** What goes with a user. The API has no dry run of that, so it is counted by reading. */
export function WhatUserHas({ user }: { readonly user: string }) {
  const { value, refusal } = useLoaded(user, countOf)
  return (
    <>
      <RefusalNote refusal={refusal} />
      <p role="status">
        {value === undefined
          ? 'Counting what goes…'
          : `With ${user} go, at once and for ever: ${counted(value.projects, 'project')} with ${counted(value.texts)}${value.isCut ? ' or more' : ''}, ${counted(value.models, 'model')} and ${counted(value.keys, 'named key')}.`}
      </p>
      <p>
        Whoever has a share of these projects loses them. Projects of others with a model of {user}{' '}
        stay, without a model.
      </p>
    </>
  )
}

async function countOf(signal: AbortSignal, user: string) {
  const handle = encodeURIComponent(user)
  const [{ data: list }, { data: models }, { data: keys }] = await Promise.all([
    call<Schemas['ProjectList']>(`v1/projects/${handle}?limit=200`, { signal }),
    call<Instances>(`v1/llm-services/${handle}`, { signal }),
    call<Schemas['UserKeys']>(`v1/users/${handle}/keys`, { signal }),
  ])
  return {
    projects: list.total_count,
    texts: list.projects.reduce((sum, each) => sum + each.embedding_count, 0),
    isCut: list.projects.length < list.total_count,
    models: models.instances.filter(({ owner }) => owner === user).length,
    keys: keys.keys.length,
  }
}
