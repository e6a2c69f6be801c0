import type { Schemas } from '../../clients/typescript/src/client.ts'
import { CopyButton } from '../elements.tsx'
import { frame } from '../frame.ts'

type Project = Schemas['Project']

interface SnippetProps {
  readonly id: string
  readonly title?: string
  readonly code: string
  readonly children?: unknown
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

/** The address of this server, without a slash at its end. */
const server = () =>
  new URL(frame.base === '' ? './' : frame.base, location.href).href.replace(/\/$/, '')

// A string of JSON is one of Python, too.
const quoted = (text: string) => JSON.stringify(text)

const modelOf = ({ model = 'your-model' }: Project) => quoted(model)

const connected = (options = '') =>
  `project = Client(${quoted(server())}).project(${quoted(frame.name)}${options})`

/** A provider makes the vectors, if the project has one; else a model on the machine of the reader. */
export const uploadSnippet = (project: Project) =>
  `from semblance_client import Client   # pip install './clients/python${project.embeds_texts ? '' : '[embed]'}'

${connected(`, embed=${project.embeds_texts ? '"server"' : modelOf(project)}`)}
project.upload(["bake", "rest"], texts=["Bake the bread for an hour.", "Let the dough rest."])`

export const keySnippet = () => 'export SEMBLANCE_KEY=smb_…'

export const curlSnippet = (needsKey: boolean) =>
  `curl ${server()}/v1/similars/${frame.name}${needsKey ? ' -H "Authorization: Bearer $SEMBLANCE_KEY"' : ''} \\
  -d '{"words": "bread", "limit": 5, "include": ["text"]}'`

export const pythonSnippet = () =>
  `from semblance_client import Client   # pip install './clients/python'

${connected()}
print(project.search(words="bread", k=5, include=["text"]))`

export const langchainSnippet = (project: Project) =>
  `from langchain_huggingface import HuggingFaceEmbeddings
from semblance_client import Client   # pip install './clients/python[langchain]'
from semblance_client.langchain import SemblanceVectorStore

${connected()}
store = SemblanceVectorStore(project, HuggingFaceEmbeddings(model_name=${modelOf(project)}))
print(store.similarity_search("How long do I bake bread?", k=5))`
