import { frame } from './frame.ts'
import { emptyView, printView } from './project/view.ts'

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

interface TextLinkProps {
  readonly textId: string
  readonly project?: string
}

/** Leads to the page of the text. A text_id may be anything, so it is no part of the path. */
export function TextLink({ textId, project = frame.name }: TextLinkProps) {
  const search = printView({ ...emptyView, sought: { by: 'text_id', textId } })
  return (
    <a class="text-id" href={`${frame.base}explore/${project}/text${search}`}>
      {textId}
    </a>
  )
}
