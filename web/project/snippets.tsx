import type { Schemas } from '../../clients/typescript/src/client.ts'
import { CopyButton } from '../copy.tsx'
import { ButtonLink, Empty, type Parent } from '../elements.tsx'
import { frame, serverUrl } from '../frame.ts'

type Project = Schemas['Project']

interface SnippetProps extends Parent {
  readonly id: string
  readonly title?: string
  readonly code: string
}

/** A program to copy, below its title. */
export const Snippet = ({ id, title, code, children }: SnippetProps) => (
  <div class="snippet">
    {title !== undefined && <h2>{title}</h2>}
    <pre id={id} tabindex={0}>
      {code}
    </pre>
    {children && <p class="soft">{children}</p>}
    <CopyButton text={code} field={`#${id}`} />
  </div>
)

/** Without a slash at its end. */
const server = () => serverUrl().replace(/\/$/, '')

// A string of JSON is one of Python, too.
const quoted = (text: string) => JSON.stringify(text)

const modelOf = ({ model = 'your-model' }: Project) => quoted(model)

const connected = (options = '') =>
  `project = Client(${quoted(server())}).project(${quoted(frame.name)}${options})`

const imported = (extra = '') =>
  `from semblance_client import Client   # in the repository: pip install './clients/python${extra}'`

/** A provider makes the vectors, if the project has one; else a model on the machine of the reader. */
export const uploadSnippet = (project: Project) =>
  `${imported(project.embeds_texts ? '' : '[embed]')}

${connected(`, embed=${project.embeds_texts ? '"server"' : modelOf(project)}`)}
project.upload(["bake", "rest"], texts=["Bake the bread for an hour.", "Let the dough rest."])`

export const keySnippet = () => 'export SEMBLANCE_KEY=smb_…'

export const curlSnippet = (needsKey: boolean) =>
  `curl ${server()}/v1/similars/${frame.name}${needsKey ? ' -H "Authorization: Bearer $SEMBLANCE_KEY"' : ''} \\
  -d '{"words": "bread", "limit": 5, "include": ["text"]}'`

export const pythonSnippet = () =>
  `${imported()}

${connected()}
print(project.search(words="bread", k=5, include=["text"]))`

export const langchainSnippet = (project: Project) =>
  `from langchain_huggingface import HuggingFaceEmbeddings
${imported('[langchain]')}
from semblance_client.langchain import SemblanceVectorStore

${connected()}
store = SemblanceVectorStore(project, HuggingFaceEmbeddings(model_name=${modelOf(project)}))
print(store.similarity_search("How long do I bake bread?", k=5))`

interface EmptyProjectProps {
  readonly project: Project
  readonly mayWrite: boolean
}

/** Says how to fill a project, to those who may. */
export const EmptyProject = ({ project, mayWrite }: EmptyProjectProps) =>
  mayWrite ? (
    <section class="empty wide">
      <h2>This project has no texts yet</h2>
      <p>Upload a spreadsheet, Parquet or NDJSON file. Then you can search it and see its map.</p>
      <ButtonLink kind="primary" icon="upload" href={`${frame.base}explore/${frame.name}/upload`}>
        Upload a file
      </ButtonLink>
      <p>Or upload from Python:</p>
      <Snippet id="upload" code={uploadSnippet(project)} />
    </section>
  ) : (
    <Empty title="This project has no texts yet">
      <p>Its owner, {frame.owner}, has not uploaded any.</p>
    </Empty>
  )
