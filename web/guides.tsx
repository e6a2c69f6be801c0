import { render, useState } from 'hono/jsx/dom'
import { CopyButton } from './copy.tsx'
import { RefusalNote, typedIn } from './elements.tsx'
import { frame } from './frame.ts'
import { bestSections, type FoundSection, type GuideSection } from './guides/best-sections.ts'
import { useAnswer } from './loading.ts'
import { showPage } from './show.tsx'

/** Loads what it searches when the first character is typed. */
function GuideSearch() {
  const [typed, type] = useState('')
  const [isUsed, use] = useState(false)
  const path = isUsed ? 'docs/guide/index.json' : undefined
  const { value, refusal } = useAnswer<GuideSection[]>(path)
  const hits = bestSections(value ?? [], typed)
  return (
    <search class="find" onKeyDown={move}>
      <label class="hidden" for="find">
        Search the guides
      </label>
      <input
        id="find"
        type="search"
        value={typed}
        placeholder="Search the guides"
        autocomplete="off"
        spellcheck={false}
        onInput={(event: Event) => {
          use(true)
          type(typedIn(event))
        }}
      />
      {typed.trim() !== '' && (
        <div class="found" tabindex={-1}>
          <RefusalNote refusal={refusal} />
          {value !== undefined && hits.length === 0 && (
            <p role="status">Nothing has these words.</p>
          )}
          <ul>
            {hits.map((hit) => (
              <Found
                key={`${hit.section.page}#${hit.section.anchor}`}
                hit={hit}
                leave={() => type('')}
              />
            ))}
          </ul>
        </div>
      )}
    </search>
  )
}

const Found = ({ hit, leave }: { readonly hit: FoundSection; readonly leave: () => void }) => (
  <li>
    <a href={`${frame.base}docs/guide/${hit.section.page}#${hit.section.anchor}`} onClick={leave}>
      <strong>{hit.section.heading}</strong>
      {hit.section.heading !== hit.section.title && <small>{hit.section.title}</small>}
      <span>{hit.excerpt.map((part, at) => (at % 2 === 1 ? <mark>{part}</mark> : part))}</span>
    </a>
  </li>
)

/** The arrow keys lead through what is found, Enter opens the first of it, and Escape returns to the field. */
function move(event: KeyboardEvent): void {
  const search = document.querySelector('.find')
  const stops = [...(search?.querySelectorAll<HTMLElement>('input, a') ?? [])]
  const at = stops.findIndex((stop) => stop.matches(':focus'))
  const next = {
    ArrowDown: stops[at + 1],
    ArrowUp: stops[Math.max(0, at - 1)],
    Escape: at > 0 ? stops[0] : undefined,
  }[event.key]
  if (event.key === 'Enter' && at === 0) stops[1]?.click()
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}

/** Of a session in a terminal, the commands alone. */
function programIn(text: string): string {
  if (!text.startsWith('$ ')) return text.trimEnd()
  // To the end of the line, or of the line behind a quoted line break, a pipe or a backslash.
  const commands = text.matchAll(/^\$ ((?:'[^']*'|[|\\]\n|[^'\n])*)/gm)
  return [...commands].map(([, command]) => command).join('\n')
}

function addCopyButton(pre: HTMLElement, index: number): void {
  const [block, place] = [document.createElement('div'), document.createElement('div')]
  pre.id = `code-${index}`
  block.className = 'snippet'
  pre.replaceWith(block)
  block.append(pre, place)
  render(<CopyButton text={programIn(pre.textContent ?? '')} field={`#${pre.id}`} />, place)
}

document.querySelectorAll<HTMLElement>('article pre').forEach(addCopyButton)
showPage({ guides: GuideSearch })
