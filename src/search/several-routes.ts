import type { z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Project } from '../access/project.ts'
import { mayAskInWords } from '../access/rules.ts'
import { isProvider } from '../db/endpoints.ts'
import { notFoundMessage } from '../embeddings/schemas.ts'
import { jsonText } from '../http/json-answer.ts'
import { createRouter, post } from '../http/operation.ts'
import { asCaller, readableProjects } from '../http/permission.ts'
import { body, json } from '../http/schemas.ts'
import { providerErrors } from '../http/text-vectors.ts'
import { beforeList, printResults } from './answer.ts'
import { searchOptions, shownBy } from './options/schemas.ts'
import { parseVectorBody, searchedForBy } from './options.ts'
import { report, type SearchDependencies, wordErrors } from './routes.ts'
import { searchDescriptions, searchHeaders } from './schemas.ts'
import { partsOfSeveral } from './several/parts.ts'
import {
  byProject,
  exampleAnswer,
  exampleSearch,
  SeveralAnswer,
  SeveralSearch,
} from './several/schemas.ts'
import { nameOf, requireOneModel, searchSeveral } from './several/several.ts'

const searchProjects = post(asCaller('caller:search', 'optional'), '/v1/similars', {
  operationId: 'searchProjects',
  summary: 'Search several projects at once',
  description: searchDescriptions.several,
  request: { body: body(SeveralSearch, exampleSearch) },
  responses: {
    200: {
      ...json(SeveralAnswer, 'The most similar first', exampleAnswer),
      headers: searchHeaders,
    },
  },
  errors: {
    400: "projects: 'alice/psalms' has small (1536 dimensions), but 'alice/verses' has small (3 dimensions); only words can be searched for in both",
    403: 'One of the projects may not be read',
    ...notFoundMessage,
    ...providerErrors,
    ...wordErrors,
  },
  format: { size: 'usual', parse: async (bytes) => parseVectorBody(bytes) },
})

type Granted = Awaited<ReturnType<typeof readableProjects>>
type Asked = Pick<z.output<typeof SeveralSearch>, 'vector' | 'text_id' | 'text'>

export function severalRoutes({ search, queryVectors, searched }: SearchDependencies) {
  const router = createRouter()

  /** What to search for in a project. Of a stored embedding, the others search for the vector. */
  async function searchedForIn(c: Context, granted: Granted, { vector, text_id, text }: Asked) {
    if (text !== undefined) {
      const [embedded = []] = await queryVectors(c, payerOf(granted), [text])
      // The provider may take minutes, and the rights may have been taken away meanwhile.
      await readableProjects(
        c,
        granted.map(({ project }) => nameOf(project)),
      )
      return () => ({ vector: embedded })
    }
    const own = granted.find(({ project }) => nameOf(project) === text_id?.project)?.project
    if (text_id === undefined || own === undefined) {
      return () => searchedForBy({ vector, text_id: undefined })
    }
    const others = { vector: await search.vectorOf(own, text_id.text_id) }
    return (project: Project) => (project === own ? { textIds: [text_id.text_id] } : others)
  }

  router.openapi(searchProjects, async (c) => {
    const { projects: names, vector, text_id, text, ...values } = c.req.valid('json')
    const granted = await readableProjects(c, names)
    const projects = granted.map(({ project }) => project)
    if ((vector ?? text_id ?? text) !== undefined) requireOneModel(projects)
    const options = searchOptions(values)
    const { ranking, rankings, note } = await searchSeveral(search, {
      projects,
      searchedForIn: await searchedForIn(c, granted, { vector, text_id, text }),
      options,
      isByProject: values.group_by === byProject,
    })
    for (const each of rankings) searched(each)
    report(c, ranking, note)
    const { results, totalSimilar } = ranking
    const before = beforeList({ total_similar: totalSimilar }, 'results')
    const shown = { ...shownBy(values), projects: names }
    const printed = await printResults<z.output<typeof SeveralAnswer>>(
      [before, { results, shown }, ']}'],
      (wanted) => partsOfSeveral(search, projects, wanted),
    )
    return jsonText(c, printed, 'results of a search')
  })
  return router
}

/**
 * With whose provider a text is embedded: that of the first project that lets the caller do so. If
 * none does, the first one refuses.
 */
const payerOf = (granted: Granted): Granted[number] =>
  granted.reduceRight((later, one) => (mayEmbed(one) || !mayEmbed(later) ? one : later))

const mayEmbed = ({ project: { instance, textQueries }, relations }: Granted[number]) =>
  mayAskInWords(textQueries, relations) && instance !== undefined && isProvider(instance.endpoint)
