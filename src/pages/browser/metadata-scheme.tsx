import { render } from 'hono/jsx/dom'
import { AboutProject } from './about-project.tsx'
import { islandElement } from './frame.ts'
import { SchemeEditor } from './metadata-scheme/scheme-editor.tsx'

render(
  <AboutProject
    title="Metadata schema of"
    show={(project, name, caller) => <SchemeEditor key={caller} name={name} project={project} />}
  />,
  islandElement(),
)
