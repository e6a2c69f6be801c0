import { frame } from './frame.ts'
import { emptyView, printView } from './project/view.ts'

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
