import { loadTexts } from '../duplicates/load-texts.ts'
import { TextLink } from '../project/text-link.tsx'
import { StateLink } from '../state-link.tsx'
import { useLoaded } from '../use-loaded.ts'
import { type Agreement, maxComparedTexts, type TextAgreement } from './agreement.ts'
import { type CompareView, printCompareView } from './compare-view.ts'
import type { LoadedAgreement } from './load-agreement.ts'

interface Props {
  readonly loaded: LoadedAgreement
  readonly view: CompareView
  readonly go: (view: CompareView) => void
}

const textsPerPage = 20
const number = (value: number) => value.toLocaleString('en-US')
const percent = (share: number) => `${Math.round(100 * share)} %`

/** How far two projects agree, and the texts where they differ most. */
export function AgreementResult({ loaded, view, go }: Props) {
  const { agreement, isCut } = loaded
  const { common, mean, onlyOne, onlyOther } = agreement
  const pages = Math.max(1, Math.ceil(common / textsPerPage))
  const page = Math.min(view.page, pages)
  const shown = agreement.texts.slice((page - 1) * textsPerPage, page * textsPerPage)
  return (
    <>
      <h2 aria-live="polite">
        {common === 0
          ? 'No text_id is in both'
          : `On average ${percent(mean)} of the ${view.k} nearest are the same`}
      </h2>
      <p class="soft">
        {number(common)} texts are in both, {number(onlyOne)} in {view.a} alone, {number(onlyOther)}{' '}
        in {view.b} alone.
        {isCut && ` Of each project the first ${number(maxComparedTexts)} are compared.`}
      </p>
      {common > 0 && <Histogram agreement={agreement} />}
      {common > 0 && <h2>Where they differ most</h2>}
      <DifferentTexts loaded={loaded} view={view} shown={shown} />
      <nav class="pages" aria-label="Pages">
        {[page - 1, page + 1].map(
          (to, index) =>
            to >= 1 &&
            to <= pages && (
              <StateLink
                key={to}
                href={printCompareView({ ...view, page: to })}
                follow={() => go({ ...view, page: to })}
              >
                {index === 0 ? 'Previous page' : 'Next page'}
              </StateLink>
            ),
        )}
      </nav>
    </>
  )
}

/** How many texts have which share of their neighbours in common. */
function Histogram({ agreement: { histogram } }: { readonly agreement: Agreement }) {
  const most = Math.max(...histogram)
  return (
    <table class="histogram">
      <caption class="soft">Texts by the share of neighbours that both have</caption>
      <tbody>
        {histogram.map((count, index) => (
          <tr key={index}>
            <th scope="row">
              {index * 10}–{index * 10 + 10} %
            </th>
            <td>
              <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                <rect class="bar" width={String((100 * count) / most)} height="6" />
              </svg>
            </td>
            <td>{number(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface TextsProps {
  readonly loaded: LoadedAgreement
  readonly view: CompareView
  readonly shown: readonly TextAgreement[]
}

function DifferentTexts({ loaded: { idOf, neighboursOf }, view: { a, b }, shown }: TextsProps) {
  const ids = shown.map(({ text }) => idOf(text))
  const { value: texts } = useLoaded(JSON.stringify([a, ids]), (signal) =>
    loadTexts(a, ids, signal),
  )
  return (
    <ol class="pairs">
      {shown.map(({ text, share }) => {
        const [one, other] = neighboursOf(text)
        return (
          <li key={text} class="pair">
            <div class="about">
              <TextLink name={a} textId={idOf(text)} />
              <span class="soft">{percent(share)} the same</span>
              <span class="text">{texts?.get(idOf(text)) ?? ''}</span>
            </div>
            <NearestIds name={a} ids={one} others={other} mark="del" />
            <NearestIds name={b} ids={other} others={one} mark="ins" />
          </li>
        )
      })}
    </ol>
  )
}

interface NearestProps {
  readonly name: string
  readonly ids: readonly string[]
  readonly others: readonly string[]
  readonly mark: 'del' | 'ins'
}

/** The nearest of a text, of which those are marked that the other project has not. */
const NearestIds = ({ name, ids, others, mark: Mark }: NearestProps) => (
  <p class="nearest">
    <span class="soft">{name}: </span>
    {ids.map((id, index) => (
      <span key={id}>
        {index > 0 && ', '}
        {others.includes(id) ? id : <Mark>{id}</Mark>}
      </span>
    ))}
  </p>
)
