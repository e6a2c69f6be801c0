import { isPlainClick } from './plain-click.ts'

interface Props {
  readonly href: string
  /** Shows the state within the page. */
  readonly follow: () => void
  readonly class?: string
  readonly title?: string
  readonly 'aria-label'?: string
  readonly children?: unknown
}

/** A link to another state of the page: within it, but where somebody opens it elsewhere. */
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
