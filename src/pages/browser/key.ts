/** For this tab alone, and for as long as it is open. */
const place = 'semblance-key'

export const storedKey = (): string | undefined => sessionStorage.getItem(place) ?? undefined
export const keepKey = (key: string): void => sessionStorage.setItem(place, key)
export const forgetKey = (): void => sessionStorage.removeItem(place)
