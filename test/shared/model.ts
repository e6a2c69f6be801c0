import { modelOf } from './model.ts'
/** What an instance of a test needs, of whose provider nothing is asked. */
export const modelOf = (dimensions = 3) => (modelOf(dimensions))
