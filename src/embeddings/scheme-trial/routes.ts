import { z } from '@hono/zod-openapi'
import { slowJson } from '../../http/json-answer.ts'
import { createRouter, operation } from '../../http/operation.ts'
import { projectParams as params } from '../../http/path-params.ts'
import { onProject } from '../../http/permission.ts'
import { clientGone } from '../../http/requester.ts'
import { body, closedObject, json, text } from '../../http/schemas.ts'
import type { Log } from '../../log.ts'
import { maxSchemeBytes } from '../../metadata-schemes/metadata-schemes.ts'
import { badScheme } from '../../projects/schemas.ts'
import { noProject } from '../schemas.ts'
import type { TryScheme } from './try-scheme.ts'

const maxNamed = 100

const TrialBody = closedObject({
  metadataScheme: text(maxSchemeBytes).openapi({
    description: 'A JSON Schema as a string, as a project has it.',
  }),
  limit: z
    .int()
    .min(0)
    .max(maxNamed)
    .optional()
    .openapi({ description: `How many violations are named; ${maxNamed} when it is not given.` }),
}).openapi('MetadataSchemeTrial')

const TrialAnswer = z
  .object({
    checked: z.int().openapi({ description: 'How many embeddings were held against it.' }),
    violation_count: z.int().openapi({ description: 'How many of them do not satisfy it.' }),
    violations: z
      .array(
        z.object({
          text_id: z.string(),
          violations: z.array(z.string()).openapi({ description: 'What is wrong, a line each.' }),
        }),
      )
      .openapi({ description: 'The first of them, by text_id.' }),
  })
  .openapi('MetadataSchemeTrialAnswer')

const trial = operation(
  onProject('project:manage'),
  {
    method: 'post',
    path: '/v1/projects/{user}/{project}/try-metadata-scheme',
    operationId: 'tryMetadataScheme',
    summary: 'Try a metadataScheme on what is stored',
    description:
      'Before it is set with PATCH, which does not look at stored embeddings. It changes nothing. A trial that takes longer than 5 seconds sends white space before the JSON, so that the connection is kept; if it fails after that, the answer breaks off without a JSON body. It ends when the client goes away.',
    tags: ['Projects'],
    request: {
      params,
      body: body(TrialBody, {
        metadataScheme: '{"type": "object", "required": ["ref"]}',
        limit: 10,
      }),
    },
    responses: {
      200: json(TrialAnswer, 'What does not satisfy it', {
        checked: 3779,
        violation_count: 1,
        violations: [{ text_id: 'mark-1-11', violations: ['ref is required'] }],
      }),
    },
  },
  {
    403: "Another user's project",
    ...noProject,
    ...badScheme,
  },
)

interface Dependencies {
  readonly run: TryScheme
  readonly log: Log
}

export function schemeTrialRoutes({ run, log }: Dependencies) {
  const router = createRouter()
  router.openapi(trial, (c) => {
    const { metadataScheme, limit = maxNamed } = c.req.valid('json')
    const { project } = c.get('granted')
    return slowJson(c, run(project, metadataScheme, limit, clientGone(c.req)), (cause) =>
      log.warn('trial of a metadataScheme broken off', { id: c.var.requestId, cause }),
    )
  })
  return router
}
