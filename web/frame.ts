/** The server puts the page's data into attributes of the element that the island fills. */
export const island = document.querySelector<HTMLElement>('#island')

const { owner = '', project = '' } = island?.dataset ?? {}

export const frame = {
  /** The relative path from the page to the service's root, which also works behind a proxy. */
  base: island?.dataset['base'] ?? '',
  page: island?.dataset['page'] ?? '',
  owner,
  project,
  name: `${owner}/${project}`,
} as const

/** The address of this server, with a slash at its end. */
export const serverUrl = (): string => new URL(frame.base || './', location.href).href

/** sessionStorage keeps the key for this tab only, until it is closed. */
const place = 'semblance-key'

export const storedKey = (): string | undefined => sessionStorage.getItem(place) ?? undefined

/** Shows the page anew, as another key allows it. @param key undefined for none */
export function changeKey(key: string | undefined): void {
  if (key === undefined) sessionStorage.removeItem(place)
  else sessionStorage.setItem(place, key)
  location.reload()
}
