interface LabelledProps {
  readonly name: string
  readonly id?: string
  readonly label: string
  /** What to type, in a line below. */
  readonly help?: string | undefined
}

interface FieldProps extends LabelledProps {
  readonly required?: boolean
  readonly type?: 'text' | 'date' | 'number' | 'url' | 'password'
  readonly value?: string
  readonly placeholder?: string
}

const Help = ({ id, help }: { readonly id: string; readonly help?: string | undefined }) =>
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
        id={id}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={help && `${id}-help`}
        {...attributes}
      />
      <Help id={id} help={help} />
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
    <select id={id} name={name} aria-describedby={props.help && `${id}-help`}>
      {Object.entries(props.options).map(([each, words]) => (
        <option key={each} value={each} selected={each === props.value}>
          {words}
        </option>
      ))}
    </select>
    <Help id={id} help={props.help} />
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
