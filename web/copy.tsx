import { useLayoutEffect, useState } from 'hono/jsx/dom'
import type { Parent } from './elements.tsx'
import { Icon } from './icons.tsx'

interface CopyProps {
  readonly text: string
  /** A selector of the element that has the text. */
  readonly field: string
}

/**
 * Copies a text. Browsers offer the clipboard only to pages served over HTTPS or from localhost;
 * elsewhere this selects the text instead.
 */
export function CopyButton({ text, field }: CopyProps) {
  const [said, say] = useState('Copy')
  useLayoutEffect(() => say('Copy'), [text])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      say('Copied')
    } catch {
      const element = document.querySelector<HTMLElement>(field)
      if (element !== null) getSelection()?.selectAllChildren(element)
      if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)
        element.select()
      say('Press Ctrl+C')
    }
  }
  return (
    <button type="button" aria-live="polite" onClick={copy}>
      <Icon name={said === 'Copied' ? 'check' : 'copy'} />
      {said}
    </button>
  )
}

interface CopyFieldProps extends Parent {
  readonly id: string
  readonly label: string
  readonly text: string
}

/** One line to copy, and what stands beside it. */
export const CopyField = ({ id, label, text, children }: CopyFieldProps) => (
  <div class="copied">
    <input id={id} aria-label={label} readonly autocomplete="off" spellcheck={false} value={text} />
    <CopyButton text={text} field={`#${id}`} />
    {children}
  </div>
)
