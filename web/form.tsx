import { Button, Options, type Parent, RefusalNote } from './elements.tsx'
import { useStep } from './loading.ts'
import { textIn } from './text-in.ts'

/** What stands between the tags is the help: what to type or choose. */
interface LabelledProps extends Parent {
  readonly name: string
  readonly id?: string
  readonly label: string
}

/** A control with its label above it and its help below. */
const labelled = (
  { name, id = `field-${name}`, label, children }: LabelledProps,
  control: (own: { name: string; id: string; 'aria-describedby'?: string }) => unknown,
) => (
  <div class="field">
    <label for={id}>{label}</label>
    {control({ name, id, ...(children !== undefined && { 'aria-describedby': `${id}-help` }) })}
    {children !== undefined && (
      <p id={`${id}-help`} class="help">
        {children}
      </p>
    )}
  </div>
)

interface FieldProps extends LabelledProps {
  readonly required?: boolean
  /** What the value has to be, which the help says. */
  readonly pattern?: string
  readonly type?: 'text' | 'date' | 'number' | 'url' | 'password'
  readonly value?: string
  readonly placeholder?: string | undefined
  readonly onInput?: (event: Event) => void
}

export function FormField(props: FieldProps) {
  const { label: _, children: help, ...attributes } = props
  const title = attributes.pattern && `${help}`
  return labelled(props, (own) => (
    <input autocomplete="off" spellcheck={false} {...{ title, ...attributes, ...own }} />
  ))
}

/** Several lines of text. */
export const FormArea = (props: FieldProps) =>
  labelled(props, (own) => (
    <textarea
      rows={6}
      spellcheck={false}
      placeholder={props.placeholder}
      {...own}
      value={props.value ?? ''}
    />
  ))

interface SelectProps extends LabelledProps {
  readonly value?: string
  /** The words of each value. */
  readonly options: Readonly<Record<string, string>>
}

export const FormSelect = (props: SelectProps) =>
  labelled(props, (own) => (
    <select {...own}>
      <Options of={Object.entries(props.options)} chosen={props.value} />
    </select>
  ))

/** What stands between the tags is what the choice means. */
interface ChoiceProps extends LabelledProps {
  readonly value: string
  readonly checked?: boolean
  readonly type?: 'radio' | 'checkbox'
  readonly onClick?: () => void
}

export const FormChoice = ({ label, children, type = 'radio', ...attributes }: ChoiceProps) => (
  <label class="choice">
    <input type={type} {...attributes} />
    <span>
      {label}
      {children !== undefined && <small class="help">{children}</small>}
    </span>
  </label>
)

interface StepFormProps extends Parent {
  /** The words of the button that sends it. */
  readonly action: string
  /** @param text reads a field */
  readonly save: (
    text: ReturnType<typeof textIn>,
    signal: AbortSignal,
    given: FormData,
  ) => Promise<void>
  readonly kind?: 'primary' | 'danger' | undefined
  readonly cancel?: () => void
  /** Whether it takes long, and can be stopped. */
  readonly isLong?: boolean
  /** For those who follow what is typed. */
  readonly watched?: {
    readonly ref: { current: HTMLFormElement | null }
    readonly onInput: () => void
  }
}

/** Fields with the button that sends them, and why they were refused. */
export function StepForm({ action, save, kind, cancel, isLong, ...rest }: StepFormProps) {
  const { isBusy, refusal, run, stop } = useStep()
  const submit = (event: Event) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const given = new FormData(event.currentTarget)
    run((signal) => save(textIn(given), signal, given))
  }
  return (
    <form class="fields" onSubmit={submit} {...rest.watched}>
      {rest.children}
      <RefusalNote refusal={refusal} />
      <div class="buttons">
        <Button kind={kind} isBusy={isBusy}>
          {action}
        </Button>
        {cancel && <Button act={cancel}>Cancel</Button>}
        {isLong && isBusy && <Button act={stop}>Stop</Button>}
      </div>
    </form>
  )
}
