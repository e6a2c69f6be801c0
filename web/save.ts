import { frame } from './frame.ts'

const mediaTypes = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
} as const

export function saveAs(what: string, type: keyof typeof mediaTypes, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: mediaTypes[type] }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${frame.owner}-${frame.project}-${what}.${type}`
  link.click()
  // The URL has to stay valid until the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
