import { dropFirst } from './first-answers.ts'

/** sessionStorage keeps the key for this tab only, until it is closed. */
const place = 'semblance-key'

export const storedKey = (): string | undefined => sessionStorage.getItem(place) ?? undefined

export function keepKey(key: string): void {
  dropFirst()
  sessionStorage.setItem(place, key)
}

export function forgetKey(): void {
  dropFirst()
  sessionStorage.removeItem(place)
}
