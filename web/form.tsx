import { Button, RefusalNote } from './elements.tsx'
import { useStep } from './loading.ts'

interface LabelledProps {
  readonly name: string
  readonly id?: string
  readonly label: string
  /** What to type, in a line below. */
  readonly help?: string | undefined
}

interface FieldProps extends LabelledProps {
  readonly required?: boolean
  /** What the value has to be, which the help says. */
  readonly pattern?: string
  readonly type?: 'text' | 'date' | 'number' | 'url' | 'password'
  readonly value?: string
  readonly placeholder?: string
  readonly onInput?: (event: Event) => void
}

type DescribedProps = Pick<LabelledProps, 'help'> & { readonly id: string }

/** What an input has of its label and help. */
const described = ({ id, help }: DescribedProps) => ({
  id,
  ...(help && { 'aria-describedby': `${id}-help` }),
})

const Help = ({ id, help }: DescribedProps) =>
  help ? (
    <p id={`${id}-help`} class="help">
      {help}
    </p>
  ) : null

/** An input with its label above it. */
export const FormField = ({ label, help, ...props }: FieldProps) => {
  const { id = `field-${props.name}`, ...attributes } = props
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...described({ id, help })}
        autocomplete="off"
        spellcheck={false}
        title={attributes.pattern && help}
        {...attributes}
      />
      <Help {...{ id, help }} />
    </div>
  )
}

/** Several lines of text. */
export const FormArea = ({ name, id = `field-${name}`, value, ...props }: FieldProps) => (
  <div class="field">
    <label for={id}>{props.label}</label>
    <textarea
      name={name}
      rows={6}
      spellcheck={false}
      {...described({ id, ...props })}
      value={value ?? ''}
    />
    <Help id={id} {...props} />
  </div>
)

interface SelectProps extends LabelledProps {
  readonly value?: string
  /** The words of each value. */
  readonly options: Readonly<Record<string, string>>
}

export const FormSelect = ({ name, id = `field-${name}`, ...props }: SelectProps) => (
  <div class="field">
    <label for={id}>{props.label}</label>
    <select name={name} {...described({ id, ...props })}>
      {Object.entries(props.options).map(([each, words]) => (
        <option key={each} value={each} selected={each === props.value}>
          {words}
        </option>
      ))}
    </select>
    <Help id={id} {...props} />
  </div>
)

interface ChoiceProps {
  readonly name: string
  readonly value: string
  readonly label: string
  /** What the choice means, in a line below. */
  readonly help?: string
  readonly checked?: boolean
  readonly type?: 'radio' | 'checkbox'
  readonly onClick?: () => void
}

export const FormChoice = ({ label, help, type = 'radio', ...attributes }: ChoiceProps) => (
  <label class="choice">
    <input type={type} {...attributes} />
    <span>
      {label}
      {help && <small class="help">{help}</small>}
    </span>
  </label>
)

interface StepFormProps {
  /** The words of the button that sends it. */
  readonly action: string
  readonly save: (given: FormData, signal: AbortSignal) => Promise<void>
  readonly kind?: 'primary' | 'danger' | undefined
  readonly cancel?: () => void
  /** Whether it takes long, and can be stopped. */
  readonly isLong?: boolean
  /** For those who follow what is typed. */
  readonly watched?: {
    readonly ref: { current: HTMLFormElement | null }
    readonly onInput: () => void
  }
  readonly children?: unknown
}

/** Fields with the button that sends them, and why they were refused. */
export function StepForm({ action, save, kind, cancel, isLong, ...rest }: StepFormProps) {
  const { isBusy, refusal, run, stop } = useStep()
  const submit = (event: Event) => {
    event.preventDefault()
    const { currentTarget: form } = event
    if (form instanceof HTMLFormElement) run((signal) => save(new FormData(form), signal))
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
