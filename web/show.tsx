import type { FC } from 'hono/jsx'
import { render } from 'hono/jsx/dom'
import { frame, island } from './frame.ts'
import { sayWhatIsLeft } from './toast.ts'

/**
 * Fills the element of the page.
 * @param pages those of a script, by the names that src/pages/routes.ts gives them
 */
export function showPage(pages: Readonly<Record<string, FC>>): void {
  const Page = pages[frame.page]
  if (Page === undefined || island === null) return
  render(<Page />, island)
  sayWhatIsLeft()
}
