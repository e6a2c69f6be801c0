import type { Schemas } from '../../clients/typescript/src/client.ts'

/** A provider of embeddings, as far as it is known before anybody has typed. */
export interface Preset {
  readonly name: string
  readonly endpoint: string
  readonly model: string
  readonly dimensions?: number
  /** Undefined if it takes OpenAI's form. */
  readonly standard?: string
}

/** Programs on the machine of the server, and whatever else takes OpenAI's form. */
const programs: Readonly<Record<string, Preset>> = {
  ollama: {
    name: 'Ollama',
    endpoint: 'http://localhost:11434/v1/embeddings',
    model: 'all-minilm',
  },
  'serve-model': {
    name: 'semblance-client serve-model',
    endpoint: 'http://127.0.0.1:8890/v1/embeddings',
    model: 'all-MiniLM-L6-v2',
  },
  tei: {
    name: 'Text Embeddings Inference',
    endpoint: 'http://localhost:8080/v1/embeddings',
    model: '',
  },
  other: { name: "Another server that takes OpenAI's requests", endpoint: '', model: '' },
}

/** @param definitions of _system @param standards of the server */
export function presetsOf(
  definitions: readonly Schemas['Definition'][],
  standards: readonly Schemas['ApiStandard'][],
): Readonly<Record<string, Preset>> {
  const known = definitions.map(({ definition_handle, endpoint, model, dimensions, ...rest }) => [
    `definition ${definition_handle}`,
    { name: definition_handle, endpoint, model, dimensions, standard: rest.api_standard },
  ])
  const defined = new Set(definitions.map(({ api_standard }) => api_standard))
  const others = standards
    .filter(({ api_standard_handle }) => !defined.has(api_standard_handle))
    .map(({ api_standard_handle: standard }) => [
      `standard ${standard}`,
      { name: `Another model of ${standard}`, endpoint: '', model: '', standard },
    ])
  return { ...programs, ...Object.fromEntries([...known, ...others]) }
}

/** The name of the first preset that the server may ask; of the first of all, if it may ask none. */
export const usablePreset = (
  presets: Readonly<Record<string, Preset>>,
  hosts: readonly string[],
): string =>
  Object.keys(presets).find((name) => {
    const host = hostEntry(presets[name]?.endpoint ?? '')
    return host !== undefined && isAllowed(host, hosts) === true
  }) ?? 'ollama'

/** The handle of a standard for servers that take OpenAI's requests, most of which need no key. */
export const usualStandard = (standards: readonly Schemas['ApiStandard'][]): string =>
  standards.find(
    ({ request_format: format = 'openai', key_method: method }) =>
      format === 'openai' && method === 'auth_bearer',
  )?.api_standard_handle ?? ''

/** The entry that allows the endpoint, in SERVICE_EMBEDDINGHOSTS; undefined if it is no URL. */
export function hostEntry(endpoint: string): string | undefined {
  if (!URL.canParse(endpoint)) return undefined
  const { protocol, hostname, host, port } = new URL(endpoint)
  return protocol === 'http:' && port === '' ? `${hostname}:80` : host
}

/** Whether an entry allows the host; undefined if a range or `*` may allow it. */
export function isAllowed(host: string, hosts: readonly string[]): boolean | undefined {
  if (hosts.some((each) => [host, `${host}:443`].includes(each.toLowerCase()))) return true
  return hosts.some((each) => each === '*' || each.includes('/')) ? undefined : false
}
