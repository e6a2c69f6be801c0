import { render } from 'hono/jsx/dom'
import { AboutProject } from './about-project.tsx'
import { DuplicatesBrowser } from './duplicates/duplicates-browser.tsx'
import { islandElement } from './frame.ts'

render(
  <AboutProject
    title="Near-duplicates in"
    show={(_, name, caller) => <DuplicatesBrowser key={caller} name={name} caller={caller} />}
  />,
  islandElement(),
)
