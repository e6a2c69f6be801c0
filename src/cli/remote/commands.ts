import type { ArgsDef } from 'citty'
import { usualSearch } from '../../similars/options/defaults.ts'
import type { Run } from '../flags.ts'

/** A command for a server elsewhere. Its code is loaded when it runs, so that help is quick. */
export interface RemoteCommand {
  readonly description: string
  readonly args: ArgsDef
  /** Whether more arguments may follow those that have a name. */
  readonly takesMore?: true
  readonly load: () => Promise<Run>
}

const server: ArgsDef = {
  url: { type: 'string', description: 'Of the server; else SEMBLANCE_URL, login, localhost:8880' },
  key: { type: 'string', description: 'API key; else SEMBLANCE_KEY, login' },
  'key-file': { type: 'string', valueHint: 'file', description: 'File that holds the API key' },
}
const project: ArgsDef = {
  project: { type: 'positional', description: 'Handle of a project of yours, or owner/handle' },
}
const filter: ArgsDef = {
  filter: {
    type: 'string',
    valueHint: 'json',
    description: 'Only these, such as {"ref.book": "Luke"}',
  },
}
const limit = (what: string): ArgsDef => ({
  limit: { type: 'string', alias: 'k', description: `${what} (default ${usualSearch.limit})` },
})
const threshold: ArgsDef = {
  threshold: { type: 'string', description: 'Least similarity, 0 to 1 (default 0)' },
}
const dryRun: ArgsDef = {
  'dry-run': { type: 'boolean', description: 'Check and count, and change nothing' },
}
const asJson: ArgsDef = { json: { type: 'boolean', description: 'JSON, for programs' } }
const output = (description: string): ArgsDef => ({
  output: { type: 'string', alias: 'o', valueHint: 'file', description },
})

export const remoteCommands: Readonly<Record<string, RemoteCommand>> = {
  login: {
    description: 'Keep URL and key of a server, so that the commands below find them',
    args: server,
    load: async () => (await import('./login.ts')).login,
  },
  status: {
    description: 'Show whether the server is ready, its version, and whose key is used',
    args: server,
    load: async () => (await import('./status.ts')).status,
  },
  projects: {
    description: 'List your projects, those shared with you, and the public ones',
    args: { ...asJson, ...server },
    load: async () => (await import('./projects.ts')).projectsCommand,
  },
  import: {
    description: 'Upload a file to a project; done again, it sends what is missing',
    args: {
      ...project,
      file: {
        type: 'positional',
        description: '.ndjson, .jsonl, .csv, .parquet, .semblance, also with .gz; - is stdin',
      },
      vectors: {
        type: 'string',
        valueHint: 'npy',
        description: 'The .npy file whose rows are the vectors of a CSV file',
      },
      model: {
        type: 'string',
        description: 'Make project and instance if not there, of this model',
      },
      endpoint: { type: 'string', description: 'Of the instance that is made' },
      'api-standard': { type: 'string', description: 'Of the instance that is made' },
      'text-queries': {
        type: 'string',
        valueHint: 'who',
        description: 'Who may search a made project in words: members, everybody',
      },
      'on-conflict': {
        type: 'string',
        valueHint: 'rule',
        description: 'What is there: skip (default), replace where it differs, or error',
      },
      concurrency: {
        type: 'string',
        description: 'Requests at the same time, 1 to 16 (default 3)',
      },
      ...dryRun,
      ...server,
    },
    load: async () => (await import('../import/import.ts')).importFile,
  },
  export: {
    description: 'Write a project to a file, or to stdout',
    args: {
      ...project,
      format: {
        type: 'string',
        description: 'ndjson, parquet, or semblance; default by the ending of --output, or ndjson',
      },
      ...output('Written when it is complete; default stdout'),
      ...filter,
      include: { type: 'string', description: 'Parts to write, of text,metadata,vector' },
      ...server,
    },
    load: async () => (await import('./export.ts')).exportProject,
  },
  search: {
    description: 'Find what is similar to a stored text, or to a vector',
    args: {
      ...project,
      text_id: { type: 'positional', required: false, description: 'The stored text' },
      text: {
        type: 'string',
        valueHint: 'words',
        description: "Search for words, by the provider of the project's instance",
      },
      'vector-file': {
        type: 'string',
        valueHint: 'file',
        description: 'A JSON array of numbers instead, or an .npy file; - is stdin',
      },
      ...filter,
      ...limit('Number of results'),
      ...threshold,
      include: { type: 'string', description: 'Parts to show, of text,metadata,vector' },
      ...asJson,
      ...server,
    },
    load: async () => (await import('./search.ts')).search,
  },
  neighbours: {
    description: 'Print the nearest neighbours of every embedding, as lines of JSON',
    args: {
      ...project,
      ...limit('Neighbours of each'),
      ...threshold,
      ...filter,
      different: {
        type: 'string',
        valueHint: 'field',
        description: 'Only neighbours that differ in this metadata field',
      },
      ...server,
    },
    load: async () => (await import('./neighbours.ts')).neighboursCommand,
  },
  delete: {
    description: 'Delete embeddings of a project: by text_id, by filter, or all',
    args: {
      ...project,
      text_id: {
        type: 'positional',
        required: false,
        description: 'What to delete; may be several',
      },
      ...filter,
      all: { type: 'boolean', description: 'All embeddings; the project stays' },
      yes: { type: 'boolean', alias: 'y', description: 'Do not ask' },
      ...dryRun,
      ...server,
    },
    takesMore: true,
    load: async () => (await import('./delete.ts')).deleteEmbeddings,
  },
  users: {
    description: 'List all users with what they have, for the administrator',
    args: {
      bytes: { type: 'boolean', description: 'Also how large it is: asks about every project' },
      ...asJson,
      ...server,
    },
    load: async () => (await import('./users.ts')).usersCommand,
  },
  keys: {
    description: 'Give a user a key: create, rotate; with --name also keys with limits',
    args: {
      action: {
        type: 'positional',
        description: 'create (also shows the first one), rotate, list, revoke',
      },
      user: { type: 'positional', required: false, description: 'Whose; default your own' },
      name: { type: 'string', description: 'Of a key beside the first one' },
      access: { type: 'string', description: 'Of a new one: read (default), or write' },
      projects: {
        type: 'string',
        valueHint: 'list',
        description: 'Of a new one: only these, with commas',
      },
      expires: { type: 'string', valueHint: 'date', description: 'Of a new one: when it stops' },
      ...output('Where to write the key, for you alone; - is stdout'),
      ...asJson,
      ...server,
    },
    load: async () => (await import('./keys.ts')).keys,
  },
}
