import type { components } from '../../../client/api.ts'
import { counted } from '../counted.ts'
import { TextLink } from '../project/text-link.tsx'

interface Props {
  /** `owner/handle` */
  readonly name: string
  readonly trial: components['schemas']['MetadataSchemeTrialAnswer']
}

/** How many stored texts do not satisfy a schema, and why the first of them do not. */
export function TrialResult({ name, trial }: Props) {
  const { checked, violation_count: count, violations } = trial
  return (
    <>
      <div role="status">
        <h2>
          {count === 0
            ? `It fits: ${counted(checked)} tried`
            : `${counted(count)} of ${checked.toLocaleString('en-US')} ${count === 1 ? 'does' : 'do'} not satisfy it`}
        </h2>
      </div>
      <ol class="rows">
        {violations.map(({ text_id: textId, violations: lines }) => (
          <li key={textId} class="row">
            <TextLink name={name} textId={textId} />
            <ul class="lines">
              {lines.map((line, index) => (
                <li key={`${index}`}>{line}</li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
      {count > violations.length && (
        <p class="soft">These are the first {violations.length}, by text_id.</p>
      )}
    </>
  )
}
