import { sql } from 'drizzle-orm'
import { cors } from 'hono/cors'
import { requestId } from 'hono/request-id'
import { createAccess } from './access/access.ts'
import { createApiStandards } from './api-standards/api-standards.ts'
import { apiStandardRoutes } from './api-standards/routes.ts'
import type { Database } from './db/database.ts'
import { instanceShares, projectShares } from './db/schema.ts'
import { createDefinitions } from './definitions/definitions.ts'
import { definitionRoutes } from './definitions/routes.ts'
import { createEmbeddings } from './embeddings/embeddings.ts'
import { embeddingRoutes } from './embeddings/routes.ts'
import { createBodyReader } from './http/body.ts'
import { docRoutes, openApiDocument } from './http/docs.ts'
import { healthRoutes } from './http/health.ts'
import { createRouter } from './http/operation.ts'
import { renderErrors } from './http/problem.ts'
import { refuseUnknown } from './http/unknown-routes.ts'
import { createInstances } from './instances/instances.ts'
import { instanceRoutes } from './instances/routes.ts'
import { instanceSharingRoutes } from './instances/sharing-routes.ts'
import type { Log } from './log.ts'
import { createProjects } from './projects/projects.ts'
import { projectRoutes } from './projects/routes.ts'
import { projectSharingRoutes } from './projects/sharing-routes.ts'
import { transferProject } from './projects/transfer.ts'
import type { IndexLimits } from './search-indexes/policy.ts'
import { SearchIndexes } from './search-indexes/search-indexes.ts'
import { hashKey } from './secrets/keys.ts'
import type { Sealer } from './secrets/sealing.ts'
import { createSharing } from './sharing/sharing.ts'
import { similarRoutes } from './similars/routes.ts'
import { createSearch } from './similars/search.ts'
import { userRoutes } from './users/routes.ts'
import { createUsers } from './users/users.ts'
import { version } from './version.ts'

export interface AppDependencies {
  readonly database: Database
  readonly sealer: Sealer
  readonly adminKey: string
  /** Largest body in bytes, after decompression. */
  readonly maxBodyBytes: number
  readonly indexLimits: IndexLimits
  readonly log: Log
}

/** What a page of another origin may read of an answer. */
const exposedHeaders = ['X-Request-Id', 'X-Search-Mode', 'Allow', 'Retry-After']

/** The whole service as a value: nothing listens, nothing is read from the environment. */
export function createApp(dependencies: AppDependencies) {
  const { database, sealer, adminKey, maxBodyBytes, indexLimits, log } = dependencies
  const access = createAccess(database, hashKey(adminKey))
  const definitions = createDefinitions(database)
  const readBody = createBodyReader(maxBodyBytes)
  const searchIndexes = new SearchIndexes(database, indexLimits, log)
  const app = createRouter()

  app.use(cors({ origin: '*', exposeHeaders: exposedHeaders, maxAge: 86_400 }))
  app.use(requestId())
  app.use(async (c, next) => {
    c.set('access', access)
    c.set('readBody', readBody)
    const start = performance.now()
    await next()
    const took = (performance.now() - start).toFixed(1)
    // The path as it was sent: decoded it could hold line breaks.
    const { pathname } = new URL(c.req.url)
    log.debug(`${c.var.requestId} ${c.req.method} ${pathname} ${c.res.status} ${took} ms`)
  })

  const routers = [
    userRoutes(createUsers(database, sealer, searchIndexes)),
    apiStandardRoutes(createApiStandards(database)),
    definitionRoutes(definitions),
    instanceRoutes(createInstances(database, sealer), definitions),
    instanceSharingRoutes(createSharing(database, instanceShares)),
    projectRoutes(createProjects(database, searchIndexes)),
    projectSharingRoutes(createSharing(database, projectShares), (project, newOwner) =>
      transferProject(database, project, newOwner),
    ),
    embeddingRoutes(createEmbeddings(database, searchIndexes)),
    similarRoutes(createSearch(database, searchIndexes)),
    healthRoutes(async () => {
      await database.db.select({ one: sql`1` }).from(sql`(select 1) as one`)
    }),
  ]
  for (const router of routers) app.route('/', router)

  const document = openApiDocument(app, version)
  app.route('/', docRoutes(document))
  app.notFound(refuseUnknown(app))
  app.onError(renderErrors(log))
  return { app, document, searchIndexes }
}
