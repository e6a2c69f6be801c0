import { callLines, RefusedCall } from './call.ts'
import type { NeighboursLine } from './duplicates/pair-collector.ts'

interface Line extends Partial<NeighboursLine> {
  readonly progress?: { readonly done: number; readonly total: number | null }
  readonly embeddings?: number
  readonly mode?: 'exact' | 'approximate'
}

export const isNeighbours = (line: Line): line is Line & NeighboursLine =>
  line.id !== undefined && line.neighbours !== undefined

const maxAttempts = 6

/** The server does one comparison for each caller at a time, and learns late that a page has left one. */
export async function* neighbourLines(project: string, body: object, signal: AbortSignal) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const path = `v1/similars/${project}/neighbours`
      yield* callLines<Line>(path, { body, last: 'done', signal })
      return
    } catch (error) {
      const isBusy = error instanceof RefusedCall && error.status === 409
      if (!isBusy || attempt === maxAttempts || signal.aborted) throw error
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }
}
