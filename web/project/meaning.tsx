import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { Button } from '../elements.tsx'
import type { View } from './view.ts'

/** @returns why words are not searched for by meaning; undefined if they are */
export function whyNoMeaning(project: Schemas['Project'] | undefined): string | undefined {
  if (project?.embeds_texts === false) return 'no provider'
  return project?.text_queries === 'off' ? 'switched off' : undefined
}

/**
 * Anyone can craft a link, and asking the provider for the meaning of words costs the owner money.
 * So words from the URL are not sent there before the user has confirmed them.
 */
export function useConfirmedWords(view: View) {
  const [confirmed, set] = useState<readonly string[]>([])
  const words = wordsToEmbed(view)
  return {
    words,
    isConfirmed: words === '' || confirmed.includes(words),
    confirm: (next: View) => set((before) => [...before, wordsToEmbed(next)]),
  }
}

const wordsToEmbed = ({ sought }: View) =>
  sought?.by === 'meaning' || sought?.by === 'both' ? sought.words : ''

interface AsksFirstProps {
  readonly words: string
  readonly search: () => void
}

export const AsksFirst = ({ words, search }: AsksFirstProps) => (
  <section class="panel" aria-label="Search by meaning">
    <h2>Search for these words?</h2>
    <p class="clamped">{words}</p>
    <p>
      This search sends the words to the project's embedding provider. It counts towards the
      project's budget and may cost its owner money. Nothing has been sent yet.
    </p>
    <div class="buttons">
      <Button kind="primary" act={search}>
        Search for the words
      </Button>
    </div>
  </section>
)
