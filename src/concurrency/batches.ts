interface BatchLimits {
  readonly maxItems: number
  /** Bytes as `sizeOf` counts them. */
  readonly maxBytes: number
}

/** Groups items into batches. Each batch ends with the item that reaches one of the limits. */
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
