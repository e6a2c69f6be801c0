export function saveAs(file: string, mediaType: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: mediaType }))
  const link = document.createElement('a')
  link.href = url
  link.download = file
  link.click()
  // The URL has to stay valid until the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
