import { describe } from './data.ts'

export const copyTarget =
  'copy embeddings (collection_id, text_id, vector_dim, vector, metadata, text) from stdin (format binary)'

export const copyHead = Buffer.concat([
  Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'),
  Buffer.alloc(8),
])
export const copyEnd = Buffer.from([0xff, 0xff])

/** The embedding number `index` as a row for `copyTarget`. */
export function copyRow(
  collectionId: number,
  index: number,
  vector: Float32Array,
  textId = describe(index).textId,
): Buffer {
  const { metadata, text } = describe(index)
  const collection = Buffer.alloc(8)
  collection.writeBigInt64BE(BigInt(collectionId))
  const fields = [
    collection,
    Buffer.from(textId),
    int32(vector.length),
    Buffer.concat([int16(vector.length), int16(0), bigEndian(vector)]),
    Buffer.from(`\x01${JSON.stringify(metadata)}`),
    Buffer.from(text),
  ]
  return Buffer.concat([
    int16(fields.length),
    ...fields.flatMap((field) => [int32(field.length), field]),
  ])
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const bigEndian = (vector: Float32Array) => Buffer.from(vector.slice().buffer).swap32()
