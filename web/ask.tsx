import { useState } from 'hono/jsx/dom'
import { Button, Dialog, type Parent, RefusalNote, typedIn } from './elements.tsx'
import { FormField } from './form.tsx'
import type { IconName } from './icons.tsx'
import { useStep } from './loading.ts'

interface ConfirmProps extends Parent {
  /** The words of the button that does it. */
  readonly action: string
  readonly act: () => Promise<void>
  readonly close: () => void
  /** What has to be typed, if it goes for ever and is large. */
  readonly name?: string | undefined
}

/** Asks before something that cannot be undone. What refuses it is told in the dialog. */
export function Confirm({ action, act, close, name = '', children }: ConfirmProps) {
  const { isBusy, refusal, run } = useStep()
  const [typed, type] = useState('')
  const label = `Type ${name} to confirm`
  const isDisabled = typed.trim() !== name
  return (
    <Dialog title={`${action}?`} close={close}>
      {children}
      {name !== '' && (
        <FormField name="name" label={label} onInput={(event) => type(typedIn(event))} />
      )}
      <RefusalNote refusal={refusal} />
      <div class="buttons">
        <Button act={close} hasFocus={name === ''}>
          Cancel
        </Button>
        <Button kind="danger" act={() => run(act)} {...{ isBusy, isDisabled }}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}

interface AskProps extends Omit<ConfirmProps, 'close'> {
  /** The words of the button that asks. */
  readonly words: string
  readonly label?: string
  readonly icon?: IconName
  readonly kind?: 'danger'
}

/** A button that asks before it does something. */
export function AskButton({ words, label, icon, kind, act, ...confirm }: AskProps) {
  const [isAsking, ask] = useState(false)
  const close = () => ask(false)
  return (
    <>
      <Button {...{ label, icon, kind }} act={() => ask(true)}>
        {words}
      </Button>
      {isAsking && <Confirm {...confirm} act={() => act().then(close)} close={close} />}
    </>
  )
}
