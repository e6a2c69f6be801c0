import { isPlainClick } from '../plain-click.ts'
import { type DuplicatesView, printDuplicatesView } from './duplicates-view.ts'

interface Props {
  readonly to: DuplicatesView
  readonly go: (view: DuplicatesView) => void
  readonly children?: unknown
}

/** A link to another state of the page: within it, but where somebody opens it elsewhere. */
export function DuplicatesLink({ to, go, children }: Props) {
  const follow = (event: MouseEvent) => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    go(to)
    scrollTo({ top: 0 })
  }
  return (
    <a href={printDuplicatesView(to)} onClick={follow}>
      {children}
    </a>
  )
}
