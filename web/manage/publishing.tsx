import { AskButton } from '../ask.tsx'
import { Button, counted, RefusalNote } from '../elements.tsx'
import { frame } from '../frame.ts'
import { useStep } from '../loading.ts'
import { changeProjectFields, type Managed } from './managed.ts'

export function PublishingPanel(managed: Managed) {
  const { public_read: isPublic, embedding_count: count } = managed.project
  const { isBusy, refusal, run } = useStep()
  const publish = (isOpen: boolean) =>
    changeProjectFields(
      managed,
      { public_read: isOpen },
      `${frame.name} is ${isOpen ? 'public' : 'private'}`,
    )
  return (
    <>
      <p role="status">
        {isPublic
          ? 'Public: everybody who reaches this server can read, search and export it without a key.'
          : 'Private: only you and those it is shared with can read it.'}
      </p>
      <RefusalNote refusal={refusal} />
      <div class="buttons">
        {isPublic ? (
          <Button icon="lock" isBusy={isBusy} act={() => run(() => publish(false))}>
            Make it private
          </Button>
        ) : (
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
        )}
      </div>
    </>
  )
}
