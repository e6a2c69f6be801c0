/** What the next page shall say, in sessionStorage. */
const later = 'semblance-said'

const shownMs = 6_000

/** Says in a corner for some seconds that something is done, such as `Deleted`. */
export function toast(words: string): void {
  const place = document.querySelector('#toast')
  if (place === null) return
  const line = document.createElement('p')
  line.textContent = words
  place.replaceChildren(line)
  setTimeout(() => line.remove(), shownMs)
}

/** Opens another page of this server, which says it. */
export function goAndSay(url: string, words: string): void {
  sessionStorage.setItem(later, words)
  location.assign(url)
}

/** Says what the page before has left to say. */
export function sayWhatIsLeft(): void {
  const words = sessionStorage.getItem(later)
  sessionStorage.removeItem(later)
  if (words !== null) toast(words)
}
