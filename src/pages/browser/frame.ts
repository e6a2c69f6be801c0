/** What the server has said of the page, in attributes of the element that the island fills. */
const element = document.querySelector<HTMLElement>('#island')

export const frame = {
  /** What leads from the page to where the service begins: '' or '../../', behind a proxy too. */
  base: element?.dataset['base'] ?? '',
  owner: element?.dataset['owner'] ?? '',
  project: element?.dataset['project'] ?? '',
} as const

/** @throws Error in a page that has no place for an island */
export function islandElement(): HTMLElement {
  if (element === null) throw new Error('the page has no #island')
  return element
}
