/** The content of a page for a path. */
export interface PageContent {
  readonly title: string
  /** The data attributes for the island. */
  readonly data: Readonly<Record<'owner' | 'project', string>> | undefined
  /**
   * API paths that every reader of the page needs. The page requests them before its scripts have
   * loaded.
   */
  readonly first: readonly string[]
  /** The same, but only for URLs without a query. */
  readonly firstOfPlain: readonly string[]
}

/** A page: its URL pattern and the module of src/pages/browser that fills it. */
export interface PageDefinition {
  readonly path: string
  readonly island: string
  readonly content: (params: Readonly<Record<string, string>>) => PageContent
}
