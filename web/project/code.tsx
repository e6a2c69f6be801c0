import { useState } from 'hono/jsx/dom'
import { codeSamples } from '../../src/service/docs/code-samples/samples.ts'
import { Button, CopyButton } from '../elements.tsx'
import { frame, storedKey } from '../frame.ts'
import { type ShownRequest, sampleOf } from './requests.ts'

export function Code({ request }: { readonly request: ShownRequest }) {
  const [isOpen, open] = useState(false)
  return (
    <details
      class="code"
      onToggle={(event: Event) =>
        open(event.currentTarget instanceof HTMLDetailsElement && event.currentTarget.open)
      }
    >
      <summary>Copy as curl, Python or JavaScript</summary>
      {isOpen && <Samples request={request} />}
    </details>
  )
}

const maxLines = 18

function Samples({ request }: { readonly request: ShownRequest }) {
  const [label, choose] = useState('curl')
  const samples = codeSamples(sampleOf(request, storedKey() !== undefined))
  const source = samples.find((each) => each.label === label)?.source ?? ''
  const server = new URL(frame.base === '' ? './' : frame.base, location.href).href
  return (
    <>
      <p class="soft">
        In the environment: <code>SEMBLANCE_URL={server.replace(/\/$/, '')}</code>
        {storedKey() !== undefined && (
          <>
            , and your key as <code>SEMBLANCE_KEY</code>
          </>
        )}
      </p>
      <fieldset class="tabs">
        <legend class="hidden">Language</legend>
        {samples.map((each) => (
          <Button key={each.label} isPressed={each.label === label} act={() => choose(each.label)}>
            {each.label}
          </Button>
        ))}
        <CopyButton text={source} field="#source" />
      </fieldset>
      <textarea
        id="source"
        readonly
        spellcheck={false}
        rows={Math.min(maxLines, source.split('\n').length + 1)}
        aria-label={`${label} code`}
        value={source}
      />
    </>
  )
}
