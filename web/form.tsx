interface FieldProps {
  readonly name: string
  readonly id?: string
  readonly label: string
  readonly required?: boolean
  readonly type?: 'text' | 'date' | 'number' | 'url' | 'password'
  readonly value?: string
}

/** An input with its label, which is above it. */
export const FormField = ({ label, name, id = `field-${name}`, ...attributes }: FieldProps) => (
  <div class="field">
    <label for={id}>{label}</label>
    <input id={id} name={name} autocomplete="off" spellcheck={false} {...attributes} />
  </div>
)

interface ChoiceProps {
  readonly name: string
  readonly value: string
  readonly label: string
  readonly checked?: boolean
  readonly type?: 'radio' | 'checkbox'
  readonly onClick?: () => void
}

export const FormChoice = ({ label, type = 'radio', ...attributes }: ChoiceProps) => (
  <label class="choice">
    <input type={type} {...attributes} />
    <span>{label}</span>
  </label>
)
