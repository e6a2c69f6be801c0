import { printView, type View } from './view.ts'

interface Props {
  readonly to: View
  readonly go: (view: View) => void
  readonly class?: string
  readonly title?: string
  readonly 'aria-label'?: string
  readonly children?: unknown
}

/** A link to another state of the page: within it, but where somebody opens it elsewhere. */
export function ViewLink({ to, go, children, ...attributes }: Props) {
  const follow = (event: MouseEvent) => {
    const { button, metaKey, ctrlKey, shiftKey, altKey } = event
    if (button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return
    event.preventDefault()
    go(to)
    scrollTo({ top: 0 })
  }
  return (
    <a {...attributes} href={printView(to)} onClick={follow}>
      {children}
    </a>
  )
}
