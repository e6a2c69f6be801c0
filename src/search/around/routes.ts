import { z } from '@hono/zod-openapi'
import { noParts } from '../../embeddings/projection.ts'
import { textIdsIn } from '../../embeddings/read.ts'
import {
  forbiddenMessage,
  includeParameter,
  notFoundMessage,
  textIdParam,
} from '../../embeddings/schemas.ts'
import { jsonText } from '../../http/json-answer.ts'
import { createRouter, get } from '../../http/operation.ts'
import { projectParams } from '../../http/path-params.ts'
import { onProject } from '../../http/permission.ts'
import { json, wholeNumber } from '../../http/schemas.ts'
import { beforeList, printResults } from '../answer.ts'
import { shownBy } from '../options/schemas.ts'
import { aroundLists } from '../schemas.ts'
import type { createSearch } from '../similar.ts'
import { reach } from './by-number.ts'

const most = 20
const usualNumber = 2

const number = (name: 'before' | 'after') =>
  wholeNumber(name, 0, most).describe(`How many texts ${name} it. Default: ${usualNumber}.`)

const AroundAnswer = z.object({ text_id: z.string(), ...aroundLists }).openapi('AroundAnswer')

const getAround = get(
  onProject('project:read'),
  '/v1/embeddings/{user}/{project}/{text_id}/around',
  {
    operationId: 'getAround',
    summary: 'Show what stands before and after a text',
    description: `What has no place in the order has empty lists.

- With a reading_order of the project, texts that are equal in all of its fields but the last stand together: numbers in the order of numbers, other texts by their bytes, and those that are equal there too by their text_ids.
- A text has no place in it if it lacks a field, or has null, an array, an object or more than 1,000 characters there, or true or false in the last.
- A reading_order looks at the whole project, unless that has an index on its metadata, in the time that any filter may take.
- Without a reading_order, texts stand together whose text_ids differ in their last number alone (v2 comes before v10), which is not that of a file's ending such as .mp3: those that are at most ${reach} away, written without leading zeros or with as many digits.`,
    request: {
      params: projectParams.extend(textIdParam),
      query: z.object({
        before: number('before'),
        after: number('after'),
        include: includeParameter('Default: text and metadata.', ['text', 'metadata']),
      }),
    },
    responses: {
      200: json(AroundAnswer, 'The texts around it', {
        text_id: 'matthew-5-3',
        before: [{ id: 'matthew-5-2', text: 'And he opened his mouth, and taught them, saying,' }],
        after: [{ id: 'matthew-5-4', text: 'Blessed are they that mourn' }],
      }),
    },
    errors: {
      ...forbiddenMessage,
      ...notFoundMessage,
      400: `before must be between 0 and ${most}`,
    },
  },
)

const textAndMetadata = { ...noParts, text: true, metadata: true }

export function aroundRoutes(search: ReturnType<typeof createSearch>) {
  const router = createRouter()
  router.openapi(getAround, async (c) => {
    const { project } = c.get('granted')
    const { before = usualNumber, after = usualNumber, include } = c.req.valid('query')
    const [path = ''] = c.req.url.split(/[?#]/, 1)
    const textIds = textIdsIn(path.slice(0, path.lastIndexOf('/')), c.req.valid('param').text_id)
    const { textId, around } = await search.around(project, textIds, { before, after })
    const shown = shownBy({ include: include ?? textAndMetadata })
    const listOf = (ids: readonly string[]) => ({ results: ids.map((id) => ({ id })), shown })
    const head = beforeList({ text_id: textId }, 'before')
    const answer = await printResults<z.output<typeof AroundAnswer>>(
      [head, listOf(around.before), '],"after":[', listOf(around.after), ']}'],
      (wanted) => search.partsOf(project, wanted),
    )
    return jsonText(c, answer, 'texts around another')
  })
  return router
}
