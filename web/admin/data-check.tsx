import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call } from '../call.ts'
import { counted, Notice } from '../elements.tsx'
import { StepForm } from '../form.tsx'
import { frame } from '../frame.ts'

const kinds = { PASSED: 'success', WARNING: 'warning', FAILED: 'error' } as const

/** Has the server read everything that it stores. */
export function DataCheck() {
  const [report, show] = useState<Schemas['SanityReport'] | undefined>(undefined)
  const check = async (_: FormData, signal: AbortSignal) => {
    show(undefined)
    show((await call<Schemas['SanityReport']>('v1/admin/sanity-check', { signal })).data)
  }
  return (
    <>
      <StepForm action="Check all stored data" save={check} isLong>
        <p class="soft">Reads everything, and changes nothing: minutes for millions of texts.</p>
      </StepForm>
      {report !== undefined && (
        <Notice kind={kinds[report.status]}>
          {report.issue_count === 0 ? 'All is well' : counted(report.issue_count, 'problem')} in{' '}
          {counted(report.checked.projects, 'project')} with {counted(report.checked.embeddings)}
          <ul hidden={report.issue_count === 0}>
            {report.issues.map(({ project: { owner, project_handle: handle }, ...issue }) => (
              <li key={JSON.stringify(issue)}>
                <a href={`${frame.base}explore/${owner}/${handle}`}>
                  {owner}/{handle}
                </a>{' '}
                {issue.text_id}: {issue.detail}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  )
}
