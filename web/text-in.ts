/** Reads the text of a field, without spaces around it; '' if there is no such field. */
export const textIn = (given: FormData | undefined) => (name: string) =>
  `${given?.get(name) ?? ''}`.trim()
