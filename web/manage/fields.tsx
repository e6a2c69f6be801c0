import { usualBudget } from '../../src/db/text-query-columns.ts'
import { FormArea, FormField, StepForm } from '../form.tsx'
import { SearchByMeaning } from '../new-project/model-fields.tsx'
import { changeProjectFields, type Managed } from './managed.ts'

type PanelField = 'description' | 'metadataScheme' | 'reading_order'

/** A panel that changes one field. */
const panelOf = (
  field: PanelField,
  what: string,
  label: string,
  help: string,
  placeholder?: string,
) =>
  function FieldPanel(managed: Managed) {
    const save = (text: string) => {
      const value = field === 'reading_order' ? text.split(/\s*\n\s*/) : text
      return changeProjectFields(managed, { [field]: (text && value) || null }, `Saved the ${what}`)
    }
    const value = [managed.project[field] ?? ''].flat().join('\n')
    return (
      <StepForm action={`Save the ${what}`} save={(text) => save(text(field))}>
        <FormArea name={field} {...{ label, value, placeholder }}>
          {help}
        </FormArea>
      </StepForm>
    )
  }

export const DescriptionPanel = panelOf(
  'description',
  'description',
  'What it is about',
  'Everybody who may read the project sees it.',
)

export const SchemePanel = panelOf(
  'metadataScheme',
  'scheme',
  'JSON Schema of the metadata',
  'What is uploaded from now on has to satisfy it; what is stored stays. Empty for none.',
  '{"type": "object", "required": ["book"]}',
)

export const ReadingOrderPanel = panelOf(
  'reading_order',
  'reading order',
  'Fields, one on each line',
  'Texts that are equal in all but the last field stand together, in the order of the last. Without fields, the last number of the text_id decides.',
  'ref.book\nref.chapter\nref.verse',
)

const limits = [
  ['characters', 'Characters per day'],
  ['caller_requests', 'Texts per day of one reader'],
  ['caller_characters', 'Characters per day of one reader'],
] as const

export function MeaningPanel(managed: Managed) {
  const { embeds_texts: isAsked, text_queries: audience, text_query_budget: own } = managed.project
  if (!isAsked)
    return <p>The server asks no provider for this project, so there is no search by meaning.</p>
  const budget = { ...usualBudget, ...own }
  const save = (text: (name: string) => string) => {
    const names = ['requests', ...limits.map(([name]) => name)]
    const text_query_budget = Object.fromEntries(names.map((name) => [name, Number(text(name))]))
    const body = { text_queries: text('audience'), text_query_budget }
    return changeProjectFields(managed, body, 'Saved who may search by meaning')
  }
  return (
    <StepForm action="Save who may search" save={save}>
      <SearchByMeaning audience={audience} budget={budget.requests} />
      {limits.map(([name, label]) => (
        <FormField
          key={name}
          type="number"
          value={`${budget[name]}`}
          required
          {...{ name, label }}
        />
      ))}
    </StepForm>
  )
}
