import type { OpenApiDocument } from '../../../src/service/docs/document.ts'

const methods = ['get', 'put', 'post', 'patch', 'delete'] as const

type PathItem = NonNullable<OpenApiDocument['paths']>[string]
export type OperationObject = NonNullable<PathItem['get']>

export interface DocumentedOperation {
  readonly id: string
  /** In capitals. */
  readonly method: string
  /** The path with its `{parameters}`. */
  readonly template: string
  readonly declared: OperationObject
}

/** Every operation of the document. */
export function operationsOf(document: OpenApiDocument): DocumentedOperation[] {
  return Object.entries(document.paths ?? {}).flatMap(([template, item]) =>
    methods.flatMap((method) => {
      const declared = item[method]
      if (declared === undefined) return []
      const id = declared.operationId ?? `${method} ${template}`
      return [{ id, method: method.toUpperCase(), template, declared }]
    }),
  )
}

/** The names of the parameters in a path template. */
export const namesIn = (template: string): string[] =>
  [...template.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name)

/** Puts values into a path template. */
export const fill = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replaceAll(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))

export const answersOf = ({ declared }: DocumentedOperation): [status: string, answer: unknown][] =>
  Object.entries(declared.responses ?? {})

export const parametersOf = ({ declared }: DocumentedOperation) =>
  (declared.parameters ?? []).flatMap((parameter) => ('name' in parameter ? [parameter] : []))

/** @throws if there is none of this id */
export function operationNamed(operations: readonly DocumentedOperation[], id: string) {
  const found = operations.find((operation) => operation.id === id)
  if (found === undefined) throw new Error(`the document has no operation ${id}`)
  return found
}

/** What is sent by POST and changes nothing. */
export const readsByPost: readonly string[] = [
  ...[
    'searchByVector',
    'searchProjects',
    'searchBatch',
    'findMissingEmbeddings',
    'listAllNeighbours',
  ],
]

export const changesData = ({ id, method }: DocumentedOperation) =>
  method !== 'GET' && !readsByPost.includes(id)
