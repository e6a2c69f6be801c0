import { javascript, jsonLiteral, literal, python } from './literal.ts'

/** The request of a code sample, and what it does with the answer. */
export interface SampleRequest {
  /** In capitals. */
  readonly method: string
  /** With its parameters filled in, including required query parameters. */
  readonly path: string
  readonly takesKey: boolean
  /** The media type of the body; undefined without one. */
  readonly mediaType: string | undefined
  readonly body: unknown
  /** A file to send as the body. */
  readonly sends: string | undefined
  /** A file to save the answer as. */
  readonly saves: string | undefined
  readonly answersJson: boolean
}

/** The form that ReDoc and other viewers expect. */
interface CodeSample {
  readonly lang: string
  readonly label: string
  readonly source: string
}

/**
 * A request in three languages. They take the server's address and the key from the environment.
 */
export const codeSamples = (request: SampleRequest): CodeSample[] => [
  { lang: 'Shell', label: 'curl', source: curl(request) },
  { lang: 'Python', label: 'Python', source: pythonRequests(request) },
  { lang: 'JavaScript', label: 'JavaScript', source: javascriptFetch(request) },
]

const when = (isSo: unknown, ...lines: readonly string[]) => (isSo ? lines : [])

const inApostrophes = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

function curl({ method, path, takesKey, mediaType, body, sends, saves }: SampleRequest): string {
  const isImplied = method === (body === undefined ? 'GET' : 'POST')
  return [
    `curl ${isImplied ? '' : `-X ${method} `}"$SEMBLANCE_URL${path}"`,
    ...when(takesKey, '-H "Authorization: Bearer $SEMBLANCE_KEY"'),
    ...when(mediaType, `-H "Content-Type: ${mediaType}"`),
    ...when(body, `-d ${inApostrophes(literal(body, jsonLiteral))}`),
    ...when(sends, `-T ${sends}`),
    ...when(saves, `--fail -o ${saves}`),
  ].join(' \\\n  ')
}

function pythonRequests(request: SampleRequest): string {
  const { method, path, takesKey, mediaType, body, sends, saves, answersJson } = request
  const headers = [
    ...when(takesKey, '"Authorization": "Bearer " + os.environ["SEMBLANCE_KEY"],'),
    // For JSON, the library sets the header itself.
    ...when(sends, `"Content-Type": "${mediaType}",`),
  ]
  return [
    'import os',
    'import requests',
    '',
    `answer = requests.${method.toLowerCase()}(`,
    `    os.environ["SEMBLANCE_URL"] + "${path}",`,
    ...when(headers.length, '    headers={', ...headers.map((each) => `        ${each}`), '    },'),
    ...when(body, `    json=${literal(body, python, python.indent)},`),
    ...when(sends, `    data=open("${sends}", "rb"),`),
    ...when(saves, '    stream=True,'),
    ')',
    ...when(!saves, `print(answer.status_code, answer.${answersJson ? 'json()' : 'text'})`),
    ...when(
      saves,
      'answer.raise_for_status()',
      `with open("${saves}", "wb") as file:`,
      '    for part in answer.iter_content(1_000_000):',
      '        file.write(part)',
    ),
  ].join('\n')
}

function javascriptFetch(request: SampleRequest): string {
  const { method, path, takesKey, mediaType, body, sends, saves, answersJson } = request
  const headers = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the sample that has a template
    ...when(takesKey, 'Authorization: `Bearer ${process.env.SEMBLANCE_KEY}`,'),
    ...when(mediaType, `"Content-Type": "${mediaType}",`),
  ]
  const options = [
    ...when(method !== 'GET', `  method: "${method}",`),
    ...when(headers.length, '  headers: {', ...headers.map((each) => `    ${each}`), '  },'),
    ...when(body, `  body: JSON.stringify(${literal(body, javascript, javascript.indent)}),`),
    ...when(sends, `  body: await openAsBlob("${sends}"),`),
  ]
  return [
    ...when(sends, 'import { openAsBlob } from "node:fs"', ''),
    ...when(saves, 'import { writeFile } from "node:fs/promises"', ''),
    `const url = \`\${process.env.SEMBLANCE_URL}${path}\``,
    ...when(!options.length, 'const answer = await fetch(url)'),
    ...when(options.length, 'const answer = await fetch(url, {', ...options, '})'),
    ...when(!saves, `console.log(answer.status, await answer.${answersJson ? 'json' : 'text'}())`),
    ...when(
      saves,
      'if (!answer.ok) throw new Error(await answer.text())',
      `await writeFile("${saves}", answer.body)`,
    ),
  ].join('\n')
}
