import { isPlainClick } from './plain-click.ts'

interface Props {
  readonly href: string
  /** Shows the state without leaving the page. */
  readonly follow: () => void
  readonly class?: string
  readonly title?: string
  readonly 'aria-label'?: string
  readonly children?: unknown
}

/**
 * A link to another state of the page. A plain click stays on the page; a new tab or window loads
 * the URL.
 */
export function StateLink({ href, follow, children, ...attributes }: Props) {
  const click = (event: MouseEvent) => {
    if (!isPlainClick(event)) return
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
