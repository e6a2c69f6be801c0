import { dropFirst } from './first-answers.ts'

/** For this tab alone, and for as long as it is open. */
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
