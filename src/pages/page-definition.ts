/** What a page shows for a path. */
export interface PageContent {
  readonly title: string
  /** What the island is told. */
  readonly data: Readonly<Record<'owner' | 'project', string>> | undefined
  /** Paths of the API that every reader of the page asks for, so that nobody waits for a script to do it. */
  readonly first: readonly string[]
  /** The same of pages whose URL has no query. */
  readonly firstOfPlain: readonly string[]
}

/** A page: what its URL has to look like, and the module of src/pages/browser that fills it. */
export interface PageDefinition {
  readonly path: string
  readonly island: string
  readonly content: (params: Readonly<Record<string, string>>) => PageContent
}
