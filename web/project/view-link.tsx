import { StateLink } from '../state-link.tsx'
import { printView, type View } from './view.ts'

interface Props {
  readonly to: View
  readonly go: (view: View) => void
  readonly class?: string
  readonly title?: string
  readonly 'aria-label'?: string
  readonly children?: unknown
}

export const ViewLink = ({ to, go, children, ...attributes }: Props) => (
  <StateLink {...attributes} href={printView(to)} follow={() => go(to)}>
    {children}
  </StateLink>
)
