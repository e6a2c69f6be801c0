import { Icon } from './icons.tsx'

interface LabelledProps {
  readonly name: string
  readonly id?: string
  readonly label: string
  /** What to type, in a line below. */
  readonly help?: string | undefined
  /** Why the value was refused; stands in the place of the help. */
  readonly error?: string | undefined
}

interface FieldProps extends LabelledProps {
  readonly required?: boolean
  readonly type?: 'text' | 'date' | 'number' | 'url' | 'password'
  readonly value?: string
  readonly placeholder?: string
}

type DescribedProps = Pick<LabelledProps, 'help' | 'error'> & { readonly id: string }

/** What an input has of its label, help and error. */
const described = ({ id, help, error }: DescribedProps) => ({
  id,
  ...((help || error) && { 'aria-describedby': `${id}-help` }),
  ...(error && { 'aria-invalid': 'true' as const }),
})

const Help = ({ id, help, error }: DescribedProps) =>
  help || error ? (
    <p id={`${id}-help`} class={error ? 'help wrong' : 'help'} role={error ? 'alert' : undefined}>
      {error && <Icon name="error" />}
      {error ?? help}
    </p>
  ) : null

/** An input with its label above it. */
export const FormField = ({ label, help, error, ...props }: FieldProps) => {
  const { id = `field-${props.name}`, ...attributes } = props
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...described({ id, help, error })}
        autocomplete="off"
        spellcheck={false}
        {...attributes}
      />
      <Help {...{ id, help, error }} />
    </div>
  )
}

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
