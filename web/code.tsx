import { frame } from './frame.ts'
import {
  curlSnippet,
  keySnippet,
  langchainSnippet,
  pythonSnippet,
  Snippet,
  uploadSnippet,
} from './project/snippets.tsx'
import { framed } from './project-frame.tsx'

export const CodePage = framed(({ project, mayWrite }) => (
  <div class="snippets">
    {!project.public_read && (
      <Snippet id="key-code" title="Your key" code={keySnippet()}>
        The programs below read it from the environment.{' '}
        <a href={`${frame.base}explore/keys`}>Issue a key</a> for each program, so that you can
        revoke it alone.
      </Snippet>
    )}
    <Snippet id="curl-code" title="Search with curl" code={curlSnippet(!project.public_read)} />
    <Snippet id="python-code" title="Search in Python" code={pythonSnippet()} />
    {mayWrite && (
      <Snippet id="upload-code" title="Upload from Python" code={uploadSnippet(project)} />
    )}
    <Snippet id="langchain-code" title="LangChain" code={langchainSnippet(project)} />
    <p class="soft">
      The Python package is in the repository of the server, and in each release as a wheel:{' '}
      <code>pip install ./semblance_client-….whl</code>. More in the{' '}
      <a href={`${frame.base}docs/guide/python`}>guide to the Python client</a>,{' '}
      <a href={`${frame.base}docs/guide/frameworks`}>LangChain and LlamaIndex</a> and the{' '}
      <a href={`${frame.base}docs`}>API</a>.
    </p>
  </div>
))
