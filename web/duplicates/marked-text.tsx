import { maxShownCharacters, type TextPart } from './differences.ts'

interface Props {
  readonly isLoading: boolean
  readonly text: string | undefined
  /** Undefined if there is no text to compare it with. */
  readonly parts: readonly TextPart[] | undefined
  /**
   * Marks the parts that only this text has: as deleted in the first text, or as inserted in the
   * second.
   */
  readonly mark: 'del' | 'ins'
}

/** Shows a text with its differences marked. */
export function MarkedText({ isLoading, text, parts, mark: Mark }: Props) {
  if (text === undefined) return <p class="soft">{isLoading ? 'Loading…' : 'No text is stored.'}</p>
  const shown = parts ?? [{ text: text.slice(0, maxShownCharacters), isShared: true }]
  const length = shown.reduce((sum, part) => sum + part.text.length, 0)
  return (
    <p class="text">
      {shown.map((part, index) =>
        part.isShared ? (
          <span key={`${index}`}>{part.text}</span>
        ) : (
          <Mark key={`${index}`}>{part.text}</Mark>
        ),
      )}
      {length < text.length && ' …'}
    </p>
  )
}
