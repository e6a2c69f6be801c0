import { z } from '@hono/zod-openapi'
import { flag } from './schemas.ts'

/** The query of a deletion that takes other things with it. */
export const deletionQuery = z.object({
  dry_run: flag('dry_run', 'Only count what would go with it; nothing is deleted.'),
})

/** What such a deletion answers. @param counts of what goes with it */
export const deletionAnswer = <Counts extends z.ZodRawShape>(counts: Counts) =>
  z.object({
    message: z.string(),
    deleted: z.boolean().openapi({ description: 'False with dry_run=true.' }),
    ...counts,
  })

/** @param what is deleted, as messages name it */
export const deletion = <Counts extends object>(what: string, isDry: boolean, counts: Counts) => ({
  message: `${what} ${isDry ? 'would be deleted' : 'deleted'}`,
  deleted: !isDry,
  ...counts,
})
