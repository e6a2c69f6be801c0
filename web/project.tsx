import { Browser } from './project/browser.tsx'
import { ProjectFrame } from './project-frame.tsx'

export const ProjectPage = () => (
  <ProjectFrame
    isForTexts
    show={(project, caller) => (
      <>
        {project?.description && (
          <p class="description" tabindex={0}>
            {project.description}
          </p>
        )}
        {/* Rendered hidden, so that it loads the texts while the project is loading. */}
        <div hidden={project === undefined}>
          <Browser key={caller} project={project} />
        </div>
      </>
    )}
  />
)
