/** sessionStorage keeps the key for this tab only, until it is closed. */
const place = 'semblance-key'

export const storedKey = (): string | undefined => sessionStorage.getItem(place) ?? undefined

export const keepKey = (key: string): void => sessionStorage.setItem(place, key)

export const forgetKey = (): void => sessionStorage.removeItem(place)
