import { z } from '@hono/zod-openapi'
import { flag } from './schemas.ts'

/** The query of a deletion that also deletes dependent things. */
export const deletionQuery = z.object({
  dry_run: flag('dry_run', 'Only count what would be deleted.'),
})

/**
 * The answer to such a deletion.
 * @param counts fields that count what is deleted along
 */
export const deletionAnswer = <Counts extends z.ZodRawShape>(counts: Counts) =>
  z.object({
    message: z.string(),
    deleted: z.boolean().openapi({ description: 'False with dry_run=true.' }),
    ...counts,
  })

/** @param what names the deleted thing, as messages do */
export const deletion = <Counts extends object>(what: string, isDry: boolean, counts: Counts) => ({
  message: `${what} ${isDry ? 'would be deleted' : 'deleted'}`,
  deleted: !isDry,
  ...counts,
})
