/** The server puts the page's data into attributes of the element that the island fills. */
const element = document.querySelector<HTMLElement>('#island')

export const frame = {
  /**
   * The relative path from the page to the service's root, '' or '../../', which also works behind
   * a proxy.
   */
  base: element?.dataset['base'] ?? '',
  page: element?.dataset['page'] ?? '',
  owner: element?.dataset['owner'] ?? '',
  project: element?.dataset['project'] ?? '',
} as const

/** @throws Error in a page that has no place for an island */
export function islandElement(): HTMLElement {
  if (element === null) throw new Error('the page has no #island')
  return element
}

/** sessionStorage keeps the key for this tab only, until it is closed. */
const place = 'semblance-key'

export const storedKey = (): string | undefined => sessionStorage.getItem(place) ?? undefined

export const keepKey = (key: string): void => sessionStorage.setItem(place, key)

export const forgetKey = (): void => sessionStorage.removeItem(place)
