/**
 * Browsers offer the clipboard only to pages served over HTTPS or from localhost. Elsewhere this
 * selects the text instead.
 * @param field a selector of the element that has the text
 */
export async function copyText(text: string, field: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const shown = document.querySelector(field)
  if (shown instanceof HTMLTextAreaElement || shown instanceof HTMLInputElement) shown.select()
  throw new Error('there is no clipboard')
}
