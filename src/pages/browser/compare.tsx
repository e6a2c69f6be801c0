import { render, useEffect, useState } from 'hono/jsx/dom'
import { AgreementResult } from './compare/agreement-result.tsx'
import {
  type CompareView,
  comparedNeighbours,
  printCompareView,
  readCompareView,
} from './compare/compare-view.ts'
import { loadAgreement } from './compare/load-agreement.ts'
import { islandElement } from './frame.ts'
import { KeyBar } from './key-bar.tsx'
import { useLoaded } from './use-loaded.ts'

function ComparePage() {
  const [keyNumber, count] = useState(0)
  const [view, show] = useState(() => readCompareView(location.search))
  useEffect(() => {
    const read = () => show(readCompareView(location.search))
    addEventListener('popstate', read)
    return () => removeEventListener('popstate', read)
  }, [])
  const go = (next: CompareView) => {
    history.pushState(null, '', printCompareView(next))
    show(readCompareView(location.search))
  }
  const { a, b, k } = view
  const of = JSON.stringify([keyNumber, a, b, k])
  const { value, refusal, isLoading } = useLoaded(of, (signal) => {
    if (a === '' || b === '') return undefined
    return loadAgreement(view, signal).then((loaded) => ({ of, loaded }))
  })
  return (
    <>
      <div class="head">
        <h1>Compare projects</h1>
        <KeyBar changed={() => count((before) => before + 1)} />
      </div>
      <p>
        Two projects with the same text_ids, such as the same texts embedded by two models: how far
        they agree on which texts are near one another.
      </p>
      <CompareForm key={of} view={view} go={go} />
      <section aria-label="Comparison" aria-busy={isLoading ? 'true' : 'false'}>
        {isLoading && a !== '' && b !== '' && <p role="status">Comparing all texts of both…</p>}
        {refusal !== undefined && !isLoading && (
          <p class="refusal" role="alert">
            {refusal.message}
          </p>
        )}
        {value?.of === of && <AgreementResult loaded={value.loaded} view={view} go={go} />}
      </section>
    </>
  )
}

interface FormProps {
  readonly view: CompareView
  readonly go: (view: CompareView) => void
}

function CompareForm({ view, go }: FormProps) {
  const submit = (event: Event) => {
    event.preventDefault()
    const typed = (id: string) => document.querySelector<HTMLInputElement>(`#${id}`)?.value ?? ''
    go({ a: typed('a').trim(), b: typed('b').trim(), k: Number(typed('k')), page: 1 })
  }
  return (
    <form class="options" onSubmit={submit}>
      {(['a', 'b'] as const).map((name) => (
        <span key={name}>
          <label for={name}>{name === 'a' ? 'First' : 'Second'} project</label>
          <input
            id={name}
            value={view[name]}
            placeholder="owner/project"
            pattern="[\w\-]+/[\w.\-]+"
            title="owner/project"
            required
            autocomplete="off"
            spellcheck={false}
          />
        </span>
      ))}
      <span>
        <label for="k">Nearest</label>
        <select id="k">
          {comparedNeighbours.map((k) => (
            <option key={k} value={String(k)} selected={k === view.k}>
              {k}
            </option>
          ))}
        </select>
      </span>
      <button type="submit" class="primary">
        Compare
      </button>
    </form>
  )
}

render(<ComparePage />, islandElement())
