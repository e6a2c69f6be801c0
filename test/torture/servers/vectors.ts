import { textOf } from '../texts.ts'
import { owners } from '../world.ts'

export const dimensions = 8
export const instance = 'model'
export const [instanceOwner] = owners

/** No element is negative, nor any cosine: a threshold of 0 leaves nothing out. */
export const vectorOf = (textId: string) => textOf(textId, dimensions).vector.map(Math.abs)
