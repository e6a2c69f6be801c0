import { useState } from 'hono/jsx/dom'
import type { Schemas } from '../../clients/typescript/src/client.ts'

const long = 280

/** The project's description and key facts. */
export function About({ project }: { readonly project: Schemas['Project'] }) {
  const [showsAll, showAll] = useState(false)
  const { description = '', model, dimensions, embedding_count: count } = project
  const facts: [string, string | undefined][] = [
    ['Texts', count.toLocaleString('en-US')],
    ['Model', model],
    ['Dimensions', dimensions?.toLocaleString('en-US')],
    ['Read by', project.public_read ? 'everybody' : 'those it is shared with'],
    ['Since', project.created_at.slice(0, 10)],
  ]
  const isLong = description.length > long
  return (
    <>
      {description !== '' && (
        <p class={isLong && !showsAll ? 'description clamped' : 'description'}>{description}</p>
      )}
      {isLong && !showsAll && (
        <button type="button" class="quiet" onClick={() => showAll(true)}>
          Show all of the description
        </button>
      )}
      <dl class="facts">
        {facts.map(
          ([term, fact]) =>
            fact !== undefined && (
              <div key={term}>
                <dt>{term}</dt>
                <dd>{fact}</dd>
              </div>
            ),
        )}
      </dl>
    </>
  )
}
