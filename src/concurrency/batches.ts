interface BatchLimits {
  readonly maxItems: number
  /** As `sizeOf` counts them. */
  readonly maxBytes: number
}

/** What comes one by one, in batches; each ends with the item that reaches one of the limits. */
export async function* inBatches<Item>(
  items: AsyncIterable<Item>,
  sizeOf: (item: Item) => number,
  { maxItems, maxBytes }: BatchLimits,
): AsyncGenerator<Item[], void> {
  let batch: Item[] = []
  let bytes = 0
  for await (const item of items) {
    batch.push(item)
    bytes += sizeOf(item)
    if (batch.length < maxItems && bytes < maxBytes) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}
