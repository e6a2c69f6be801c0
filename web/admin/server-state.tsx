import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'
import { call, callForBody } from '../call.ts'
import {
  counted,
  Facts,
  Loading,
  Notice,
  printBytes,
  printNumber,
  RefusalNote,
} from '../elements.tsx'
import { StepForm } from '../form.tsx'
import { frame } from '../frame.ts'
import { useAnswer, useLoaded } from '../loading.ts'
import { projectName } from '../project-columns.tsx'

/** How the server is, what runs, and what its settings allow. */
export function ServerState({ hosts }: { readonly hosts: readonly string[] }) {
  const ready = useAnswer<Schemas['Readiness']>('readyz')
  const limits = useAnswer<Schemas['Limits']>('v1/limits').value
  const metrics = useLoaded('metrics', loadMetrics)
  const perMinute = limits?.requests_per_minute
  return (
    <section class="panel wide" aria-labelledby="server">
      <h2 id="server">This server</h2>
      {ready.isLoading && <Loading />}
      <RefusalNote refusal={ready.refusal ?? metrics.refusal} />
      {ready.value !== undefined && ready.value.notes === undefined && (
        <Notice kind="success">The server and its database are ready.</Notice>
      )}
      {ready.value?.notes?.map((note) => (
        <Notice key={note} kind="warning">
          {note}
        </Notice>
      ))}
      <Facts
        facts={[
          ...(metrics.value ?? []),
          ['Largest upload', limits && printBytes(limits.max_body_bytes)],
          ['Requests a minute', limits && (perMinute ? printNumber(perMinute) : 'any number')],
          ['May ask for embeddings', hosts.join(', ') || 'nobody'],
        ]}
      />
      <p class="soft">
        Flags override environment variables, which override <code>.env</code>:{' '}
        <a href={`${frame.base}docs/guide/configuration`}>all settings</a>,{' '}
        <a href={`${frame.base}v1/limits`}>all limits</a>.
      </p>
      <DataCheck />
    </section>
  )
}

/** @returns what is of interest, with its name */
async function loadMetrics(signal: AbortSignal) {
  const text = await (await callForBody('metrics', { signal })).text()
  const label = (name: string) => text.match(`semblance_info\\{.*\\b${name}="([^"]*)"`)?.[1]
  const number = (name: string, print: (value: number) => string) => {
    const [, value] = text.match(new RegExp(`^semblance_${name}(?:\\{.*\\})? (\\S+)$`, 'm')) ?? []
    return value && print(Number(value))
  }
  return [
    ['Version', label('version')],
    ['Database', label('engine')],
    ['Its size', number('database_bytes', printBytes)],
    ['Holds', number('embeddings', counted)],
  ] as const
}

const kinds = { PASSED: 'success', WARNING: 'warning', FAILED: 'error' } as const

/** Has the server read everything that it stores. */
function DataCheck() {
  const [report, show] = useState<Schemas['SanityReport'] | undefined>(undefined)
  const check = async (_: unknown, signal: AbortSignal) => {
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
            {report.issues.map(({ project, text_id: textId, detail }) => (
              <li key={`${projectName(project)} ${textId} ${detail}`}>
                <a href={`${frame.base}explore/${projectName(project)}`}>{projectName(project)}</a>{' '}
                {textId}: {detail}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  )
}
