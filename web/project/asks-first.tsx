interface Props {
  readonly words: string
  readonly search: () => void
}

/** Asks before a search for words that came from a URL. */
export const AsksFirst = ({ words, search }: Props) => (
  <section class="panel" aria-label="Search in words">
    <h2>Search for these words?</h2>
    <p class="clamped">{words}</p>
    <p>
      This search sends the words to the project's embedding provider. It counts towards the
      project's budget and may cost its owner money. Nothing has been sent yet.
    </p>
    <div class="buttons">
      <button type="button" class="primary" onClick={search}>
        Search for the words
      </button>
    </div>
  </section>
)
