import { AboutProject } from './about-project.tsx'
import { DuplicatesBrowser } from './duplicates/duplicates-browser.tsx'

export const DuplicatesPage = () => (
  <AboutProject
    title="Near-duplicates in"
    show={(_, name, caller) => <DuplicatesBrowser key={caller} name={name} caller={caller} />}
  />
)
