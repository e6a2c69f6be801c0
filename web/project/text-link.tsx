import { frame } from '../frame.ts'
import { emptyView, printView } from './view.ts'

interface Props {
  /** `owner/handle` */
  readonly name: string
  readonly textId: string
}

/** A link to the texts similar to this one, on the project's page. */
export function TextLink({ name, textId }: Props) {
  const search = printView({ ...emptyView, sought: { by: 'text_id', textId } })
  return (
    <a class="text-id" href={`${frame.base}explore/${name}${search}`}>
      {textId}
    </a>
  )
}
