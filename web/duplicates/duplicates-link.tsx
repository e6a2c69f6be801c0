import { StateLink } from '../state-link.tsx'
import { type DuplicatesView, printDuplicatesView } from './duplicates-view.ts'

interface Props {
  readonly to: DuplicatesView
  readonly go: (view: DuplicatesView) => void
  readonly children?: unknown
}

export const DuplicatesLink = ({ to, go, children }: Props) => (
  <StateLink href={printDuplicatesView(to)} follow={() => go(to)}>
    {children}
  </StateLink>
)
