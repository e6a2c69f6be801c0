import { useEffect, useState } from 'hono/jsx/dom'
import type { RefusedCall } from './call.ts'
import { frame } from './frame.ts'
import { emptyView, printView } from './project/view.ts'

/** `1 text`, `3,779 texts` */
export const counted = (count: number, of = 'text'): string =>
  `${count.toLocaleString('en-US')} ${of}${count === 1 ? '' : 's'}`

export const typedIn = ({ currentTarget }: Event): string =>
  currentTarget instanceof HTMLInputElement || currentTarget instanceof HTMLSelectElement
    ? currentTarget.value
    : ''

/**
 * As the ref of an input: hears of a value when it is complete. What JSX has as `onChange` hears of
 * each keystroke.
 */
export const whenComplete = (hear: (event: Event) => void) => (input: HTMLElement | null) => {
  input?.addEventListener('change', hear)
  return () => input?.removeEventListener('change', hear)
}

export const RefusalNote = ({ refusal }: { readonly refusal: RefusedCall | undefined }) =>
  refusal === undefined ? null : (
    <p class="refusal" role="alert">
      {refusal.message}
    </p>
  )

/** Shows a time of the API in the reader's time zone. */
export const Moment = ({ at }: { readonly at: string }) => (
  <time dateTime={at}>
    {new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}
  </time>
)

type Fact = readonly [term: string, fact: unknown, isWrong?: boolean]

/** Lists terms, each with what is known of it; leaves out what is undefined. */
export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl class="facts">
    {facts.map(
      ([term, fact, isWrong = false]) =>
        fact !== undefined && (
          <div key={term}>
            <dt>{term}</dt>
            <dd class={isWrong ? 'wrong' : undefined}>{fact}</dd>
          </div>
        ),
    )}
  </dl>
)

export const Similarity = ({ value }: { readonly value: number }) => (
  <span class="similarity">
    <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="6" />
      <rect class="bar" width={String(100 * value)} height="6" />
    </svg>
    <span>
      <span class="hidden">similarity </span>
      {value.toFixed(3)}
    </span>
  </span>
)

interface ButtonProps {
  readonly act: () => void
  readonly kind?: 'primary' | 'quiet'
  readonly label?: string
  readonly isPressed?: boolean
  readonly id?: string
  readonly children?: unknown
}

/** A button that submits no form. */
export const Button = ({ act, kind, label, isPressed, id, children }: ButtonProps) => (
  <button
    type="button"
    id={id}
    class={kind}
    aria-label={label}
    aria-pressed={isPressed === undefined ? undefined : `${isPressed}`}
    onClick={act}
  >
    {children}
  </button>
)

export interface StateLinkProps {
  readonly href: string
  readonly follow: () => void
  readonly class?: string
  readonly title?: string
  readonly 'aria-label'?: string
  readonly children?: unknown
}

/** A link to another state of the page, which a plain click shows without leaving the page. */
export function StateLink({ href, follow, children, ...attributes }: StateLinkProps) {
  const click = (event: MouseEvent) => {
    const opensElsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (event.button !== 0 || opensElsewhere) return
    event.preventDefault()
    follow()
    scrollTo({ top: 0 })
  }
  return (
    <a {...attributes} href={href} onClick={click}>
      {children}
    </a>
  )
}

/** Leads to the page of the text. A text_id may be anything, so it is no part of the path. */
export function TextLink({ textId }: { readonly textId: string }) {
  const search = printView({ ...emptyView, sought: { by: 'text_id', textId } })
  return (
    <a class="text-id" href={`${frame.base}explore/${frame.name}/text${search}`}>
      {textId}
    </a>
  )
}

interface ThresholdProps {
  readonly threshold: number
  /** The lowest selectable threshold. */
  readonly min: number
  readonly step: number
  readonly choose: (threshold: number) => void
}

/** Shows the threshold while the slider moves, and applies it when it is released. */
export function ThresholdSlider({ threshold, min, step, choose }: ThresholdProps) {
  const [slid, slide] = useState(threshold)
  useEffect(() => slide(threshold), [threshold])
  return (
    <span>
      <label for="threshold">Similarity at least</label>
      <input
        id="threshold"
        type="range"
        min={String(min)}
        max="1"
        step={String(step)}
        value={String(slid)}
        onInput={(event: Event) => slide(Number(typedIn(event)))}
        ref={whenComplete((event) => choose(Number(typedIn(event))))}
      />
      <output for="threshold">{slid.toFixed(String(step).length - 2)}</output>
    </span>
  )
}

interface FieldSelectProps {
  readonly id: string
  readonly label: string
  /** The words for no field. */
  readonly none: string
  /** The chosen field, which need not be one of the paths; '' for none. */
  readonly path: string
  readonly paths: readonly string[]
  readonly choose: (path: string) => void
}

export function FieldSelect({ id, label, none, path, paths, choose }: FieldSelectProps) {
  return (
    <>
      <label for={id}>{label}</label>
      <select id={id} onChange={(event: Event) => choose(typedIn(event))}>
        {[...new Set(['', path, ...paths])].map((each) => (
          <option key={each} value={each} selected={each === path}>
            {each === '' ? none : each}
          </option>
        ))}
      </select>
    </>
  )
}

interface PrefixProps {
  readonly prefix: string
  readonly choose: (prefix: string) => void
}

export const PrefixInput = ({ prefix, choose }: PrefixProps) => (
  <>
    <label for="prefix">text_id begins with</label>
    <input
      id="prefix"
      type="search"
      value={prefix}
      autocomplete="off"
      spellcheck={false}
      ref={whenComplete((event) => choose(typedIn(event)))}
    />
  </>
)

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
  useEffect(() => say('Copy'), [text])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      say('Copied')
    } catch {
      document.querySelector<HTMLInputElement | HTMLTextAreaElement>(field)?.select()
      say('Select the text to copy it')
    }
  }
  return (
    <button type="button" class="primary" aria-live="polite" onClick={copy}>
      {said}
    </button>
  )
}

const mediaTypes = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
} as const

export function saveAs(what: string, type: keyof typeof mediaTypes, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: mediaTypes[type] }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${frame.owner}-${frame.project}-${what}.${type}`
  link.click()
  // The URL has to stay valid until the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
