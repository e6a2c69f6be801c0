/**
 * Browsers give the clipboard to pages by HTTPS or of this machine alone; in others the text is selected.
 * @param field where the text stands
 */
export async function copyText(text: string, field: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const shown = document.querySelector(field)
  if (shown instanceof HTMLTextAreaElement || shown instanceof HTMLInputElement) shown.select()
  throw new Error('there is no clipboard')
}
