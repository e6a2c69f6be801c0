import { useLayoutEffect, useRef, useState } from 'hono/jsx/dom'
import type { SemblanceError } from '../clients/typescript/src/error.ts'
import { storedKey } from './frame.ts'
import { Icon, type IconName } from './icons.tsx'
import type { Loaded } from './loading.ts'

/** `3,779` */
export const printNumber = (value: number): string => value.toLocaleString('en-US')

/** `1 text`, `3,779 texts` */
export const counted = (count: number, of = 'text'): string =>
  `${printNumber(count)} ${of}${count === 1 ? '' : 's'}`

/** `12 MB` */
export function printBytes(bytes: number): string {
  const power = Math.min(4, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const size = Number((bytes / 1_000 ** power).toPrecision(2))
  return `${printNumber(size)} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`
}

/** @param most characters, as people count them */
export function shortened(text: string, most: number): string {
  const characters = [...text]
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : text
}

/** What stands between the tags of a component. */
export interface Parent {
  readonly children?: unknown
}

export const typedIn = ({ currentTarget }: Event): string =>
  currentTarget instanceof HTMLInputElement || currentTarget instanceof HTMLSelectElement
    ? currentTarget.value
    : ''

interface OptionsProps {
  /** Each with its words. */
  readonly of: readonly (readonly [value: string, words: string])[]
  readonly chosen: string | undefined
  readonly off?: readonly string[]
}

/** Those of a select. */
export const Options = ({ of, chosen, off = [] }: OptionsProps) => (
  <>
    {of.map(([value, words]) => (
      <option key={value} value={value} selected={value === chosen} disabled={off.includes(value)}>
        {words}
      </option>
    ))}
  </>
)

interface NoticeProps extends Parent {
  readonly kind: 'info' | 'warning' | 'error' | 'success'
}

/** Says how something stands. An error is read aloud at once. */
export const Notice = ({ kind, children }: NoticeProps) => (
  <div class={`notice ${kind}`} role={kind === 'error' ? 'alert' : undefined}>
    <Icon name={kind} />
    <div>{children}</div>
  </div>
)

export const RefusalNote = ({ refusal }: { readonly refusal: SemblanceError | undefined }) =>
  refusal === undefined ? null : (
    <Notice kind="error">
      {refusal.detail}
      {refusal.status === 401 &&
        storedKey() !== undefined &&
        '. Your key was revoked or has ended: forget it, and use another one.'}
    </Notice>
  )

interface EmptyProps extends Parent {
  readonly title: string
  readonly icon?: IconName
}

/** Stands where there is nothing to show, and says what to do now. */
export const Empty = ({ title, icon = 'empty', children }: EmptyProps) => (
  <section class="empty">
    <Icon name={icon} />
    <h2>{title}</h2>
    {children}
  </section>
)

/** Stands for what is loading; after some seconds it says that this takes long. */
export function Loading() {
  const [isSlow, slow] = useState(false)
  useLayoutEffect(() => {
    const timer = setTimeout(() => slow(true), 4_000)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p class="loading soft" role="status">
      <Icon name="busy" />
      {isSlow ? 'Still loading. The server is busy, or the connection is slow.' : 'Loading…'}
    </p>
  )
}

/** Stands for what is loading or could not be loaded; nothing once it is there. */
export const LoadNote = ({ of }: { readonly of: Loaded<unknown> }) =>
  of.value === undefined && of.refusal === undefined ? (
    <Loading />
  ) : (
    <RefusalNote refusal={of.refusal} />
  )

export const Badge = ({ icon, children }: Parent & { readonly icon?: IconName }) => (
  <span class="badge">
    {icon && <Icon name={icon} />}
    {children}
  </span>
)

/** Shows a time of the API in the reader's time zone. */
export const Moment = ({ at }: { readonly at: string }) => (
  <time dateTime={at}>
    {new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}
  </time>
)

type Fact = readonly [term: string, fact: unknown]

/** Lists terms, each with what is known of it; leaves out what is undefined. */
export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl class="facts">
    {facts.map(
      ([term, fact]) =>
        fact !== undefined && (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{fact}</dd>
          </div>
        ),
    )}
  </dl>
)

interface TitleProps {
  readonly title: string
  readonly count: number | undefined
}

/** What a list is about, and how many it has, if that is known. */
export const CountedTitle = ({ title, count }: TitleProps) => (
  <h2>
    {title} {count !== undefined && <span class="count">{printNumber(count)}</span>}
  </h2>
)

interface SimilarityProps {
  readonly value: number
  /** The share of random pairs that are less similar. */
  readonly percentile?: number | undefined
}

export const Similarity = ({ value, percentile }: SimilarityProps) => (
  <span class="similarity">
    <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="6" />
      <rect class="bar" width={String(100 * value)} height="6" />
    </svg>
    <span>
      <span class="hidden">similarity </span>
      {value.toFixed(3)}
    </span>
    {percentile !== undefined && (
      <span class="soft">
        closer than {(Math.min(999, Math.floor(1000 * percentile)) / 10).toFixed(1)} % of pairs
      </span>
    )}
  </span>
)

interface LookProps extends Parent {
  /** A page has one primary action. */
  readonly kind?: 'primary' | 'danger' | 'quiet' | undefined
  readonly icon?: IconName | undefined
}

interface ButtonProps extends LookProps {
  /** A button without it submits its form. */
  readonly act?: () => void
  readonly label?: string | undefined
  readonly isPressed?: boolean
  readonly isBusy?: boolean
  readonly isDisabled?: boolean
  readonly hasFocus?: boolean
}

export const Button = ({ act, kind, icon, children, isBusy = false, ...props }: ButtonProps) => (
  <button
    type={act === undefined ? 'submit' : 'button'}
    class={kind}
    aria-label={props.label}
    aria-pressed={props.isPressed === undefined ? undefined : `${props.isPressed}`}
    aria-busy={isBusy ? 'true' : undefined}
    disabled={isBusy || props.isDisabled === true}
    autofocus={props.hasFocus}
    {...(act !== undefined && { onClick: act })}
  >
    {(isBusy || icon) && <Icon name={isBusy ? 'busy' : (icon ?? 'busy')} />}
    {children}
  </button>
)

interface LinkProps extends LookProps {
  readonly href: string
  readonly label?: string
}

/** A link that looks like a button. */
export const ButtonLink = ({ href, kind, icon, label, children }: LinkProps) => (
  <a class={`button ${kind ?? ''}`} href={href} aria-label={label}>
    {icon && <Icon name={icon} />}
    {children}
  </a>
)

interface DialogProps extends Parent {
  readonly title: string
  readonly close: () => void
}

/** Stands above the page until it is closed, also by Escape. */
export function Dialog({ title, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={close}>
      <div>
        <h2 id="dialog-title">{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
