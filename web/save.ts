import { frame } from './frame.ts'

declare global {
  interface Window {
    /** Not in Firefox and Safari, and nowhere without HTTPS, except at localhost. */
    readonly showSaveFilePicker?: (options: {
      readonly suggestedName: string
    }) => Promise<FileSystemFileHandle>
  }
}

const mediaTypes = {
  csv: 'text/csv',
  json: 'application/json',
  ndjson: 'application/x-ndjson',
} as const

export const saveAs = (what: string, type: keyof typeof mediaTypes, text: string): void =>
  saveBlob(
    `${frame.owner}-${frame.project}-${what}.${type}`,
    new Blob([text], { type: mediaTypes[type] }),
  )

function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The URL has to stay valid until the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Whether files of any size can be written as they come. */
export const writesToDisk = (): boolean => window.showSaveFilePicker !== undefined

/**
 * Saves what comes as it comes, or if the browser cannot, when all of it has come. Of a stream that
 * breaks off nothing is kept.
 * @param open called when a place is chosen
 * @throws an AbortError if no place is chosen
 */
export async function saveStream(
  name: string,
  open: () => Promise<ReadableStream<Uint8Array<ArrayBuffer>>>,
): Promise<void> {
  const place = await window.showSaveFilePicker?.({ suggestedName: name })
  const stream = await open()
  if (place === undefined) saveBlob(name, await new Response(stream).blob())
  else await stream.pipeTo(await place.createWritable())
}
