import { requestId } from 'hono/request-id'
import { timing } from 'hono/timing'
import { createAccess } from '../access/access.ts'
import { createApiStandards } from '../api-standards/api-standards.ts'
import { apiStandardRoutes } from '../api-standards/routes.ts'
import { Cleaner } from '../collections/cleaner.ts'
import { createReadyCheck } from '../db/prepare.ts'
import { createDefinitions } from '../definitions/definitions.ts'
import { definitionRoutes } from '../definitions/routes.ts'
import { embeddingDeleteRoutes } from '../embeddings/delete-routes.ts'
import { embeddingDifferenceRoutes } from '../embeddings/difference-routes.ts'
import { createEmbeddings } from '../embeddings/embeddings.ts'
import { embeddingReadRoutes } from '../embeddings/read-routes.ts'
import { createUploadReader } from '../embeddings/upload/body/reader.ts'
import { embeddingUploadRoutes } from '../embeddings/upload/routes.ts'
import { bodyBudget, createBodyReader } from '../http/body/read-body.ts'
import { createClientAddress } from '../http/client-address.ts'
import { compress } from '../http/compress.ts'
import { crossOrigin } from '../http/cross-origin.ts'
import type { OperationServices } from '../http/env.ts'
import { observe } from '../http/observe.ts'
import { createRouter } from '../http/operation.ts'
import { PresumedRequesters } from '../http/presumed-requesters.ts'
import { renderErrors } from '../http/problem.ts'
import { createGetPath, createPublicUrl, publicPathOf } from '../http/public-url.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import { textVectors } from '../http/text-vectors.ts'
import { refuseUnknown } from '../http/unknown-routes.ts'
import { createInstances } from '../instances/instances.ts'
import { instanceRoutes } from '../instances/routes.ts'
import { createMaps } from '../maps/maps.ts'
import { mapRoutes } from '../maps/routes.ts'
import { mcpRoutes } from '../mcp/routes.ts'
import { MetadataSchemes } from '../metadata-schemes/metadata-schemes.ts'
import { createNeighbours } from '../neighbours/neighbours.ts'
import { neighbourRoutes } from '../neighbours/routes.ts'
import { pageRoutes } from '../pages/routes.ts'
import { swaggerRoutes } from '../pages/swagger.ts'
import { welcomeRoutes } from '../pages/welcome.ts'
import { createExports } from '../project-files/exports.ts'
import { createImports } from '../project-files/imports.ts'
import { exportRoutes, importRoutes } from '../project-files/routes.ts'
import { projectListRoutes } from '../projects/list-routes.ts'
import { createProjects } from '../projects/projects.ts'
import { projectRoutes } from '../projects/routes.ts'
import { createEmbeddingProviders } from '../providers/embedding-providers.ts'
import { aroundRoutes } from '../search/around/routes.ts'
import { batchRoutes } from '../search/batch/routes.ts'
import { SearchIndexes } from '../search/index/search-indexes.ts'
import { VectorCache } from '../search/memory/vector-cache.ts'
import { searchSchemaRoutes, similarRoutes } from '../search/routes.ts'
import { severalRoutes } from '../search/several-routes.ts'
import { createSearch } from '../search/similar.ts'
import { WordCache } from '../search/words/word-cache.ts'
import { hashKey } from '../secrets/keys.ts'
import { createBackup } from '../service/backup/backup.ts'
import { backupRoutes } from '../service/backup/routes.ts'
import { openApiDocument } from '../service/docs/document.ts'
import { documentRoutes } from '../service/docs/routes.ts'
import { healthRoutes } from '../service/health/routes.ts'
import { limitRoutes } from '../service/limits/routes.ts'
import { createMetrics } from '../service/metrics/metrics.ts'
import { metricsRoutes } from '../service/metrics/routes.ts'
import { sanityCheckRoutes } from '../service/sanity-check/routes.ts'
import { createSanityCheck } from '../service/sanity-check/sanity-check.ts'
import { instanceSharingRoutes, projectSharingRoutes } from '../sharing/routes.ts'
import { createInstanceSharing, createProjectSharing } from '../sharing/sharing.ts'
import { statisticsRoutes } from '../statistics/routes.ts'
import { createStatistics } from '../statistics/statistics.ts'
import { createTextEmbedding } from '../text-embedding/text-embedding.ts'
import { createUserKeys } from '../users/keys/keys.ts'
import { userKeyRoutes } from '../users/keys/routes.ts'
import { KeyUses } from '../users/keys/uses.ts'
import { userRoutes } from '../users/routes.ts'
import { createUsers } from '../users/users.ts'
import { version } from '../version.ts'
import type { AppDependencies } from './app-dependencies.ts'

/** Creates the tasks that run in the background, and what else more than the routes use. */
function servicesOf(dependencies: AppDependencies) {
  const { database, log, metricLabels: labels = {} } = dependencies
  const cleaner = new Cleaner(database, log)
  const searchIndexes = new SearchIndexes(database, dependencies.indexLimits, log)
  const vectorCache = new VectorCache(database, dependencies.cacheLimits, log)
  const wordCache = new WordCache(database, dependencies.maxWordBytes)
  return {
    cleaner,
    searchIndexes,
    vectorCache,
    wordCache,
    keyUses: new KeyUses(database, log),
    maps: createMaps(database, log, dependencies.mapLimits, dependencies.readerTickMs),
    metrics: createMetrics({ database, searchIndexes, vectorCache, wordCache, labels }),
    budget: bodyBudget(dependencies.maxBody),
    clientAddress: createClientAddress(dependencies.trustProxy),
    publicUrl: createPublicUrl(dependencies.publicUrl, dependencies.trustProxy),
    /** Is called when embeddings have been detached from their project. */
    discarded: () => {
      for (const task of [cleaner, searchIndexes, vectorCache, wordCache]) task.wake()
    },
  }
}

/** All operations of the API, except those that serve its documents. */
function routersOf(dependencies: AppDependencies, services: ReturnType<typeof servicesOf>) {
  const { database, sealer, neighbourLimits, readerTickMs } = dependencies
  const { searchIndexes, vectorCache, clientAddress, publicUrl, discarded } = services
  const { searched, uploaded } = services.metrics
  const schemes = new MetadataSchemes()
  const search = createSearch(database, vectorCache, services.wordCache, dependencies.maxScan)
  const providers = createEmbeddingProviders(dependencies.embeddingHosts)
  const textEmbedding = createTextEmbedding(database, sealer, providers)
  const queryVectors = textVectors(textEmbedding.queries, clientAddress)
  const documentVectors = textVectors(textEmbedding.documents, clientAddress)
  const definitions = createDefinitions(database)
  const instances = createInstances(database, sealer, textEmbedding.forget)
  const projects = createProjects(database, schemes, discarded)
  const embeddings = createEmbeddings(database, vectorCache, schemes, searchIndexes, discarded)
  const imported = () => searchIndexes.wake()
  const reader = createUploadReader()
  return [
    userRoutes(createUsers(database, sealer, discarded)),
    userKeyRoutes(createUserKeys(database, services.keyUses)),
    apiStandardRoutes(createApiStandards(database)),
    definitionRoutes(definitions),
    instanceRoutes(instances, definitions, textEmbedding.test),
    instanceSharingRoutes(createInstanceSharing(database)),
    projectListRoutes(projects, [...dependencies.embeddingHosts.entries]),
    projectRoutes(projects),
    projectSharingRoutes(createProjectSharing(database)),
    embeddingReadRoutes(embeddings, publicUrl),
    embeddingUploadRoutes({ embeddings, reader, documentVectors, uploaded }),
    exportRoutes(createExports(database, readerTickMs)),
    importRoutes(createImports({ database, schemes, imported, discarded })),
    embeddingDeleteRoutes(embeddings),
    embeddingDifferenceRoutes(embeddings),
    statisticsRoutes(createStatistics(database), vectorCache),
    similarRoutes({ search, queryVectors, publicUrl, searched }),
    aroundRoutes(search),
    severalRoutes({ search, queryVectors, searched }),
    batchRoutes({ search, queryVectors, readBatch: reader.json, searched }),
    neighbourRoutes(createNeighbours(database, search, neighbourLimits, readerTickMs)),
    mapRoutes(services.maps),
    searchSchemaRoutes(),
    sanityCheckRoutes(createSanityCheck(database, schemes, searchIndexes)),
    backupRoutes(createBackup(database)),
    healthRoutes(createReadyCheck(database), () => vectorCache.notes()),
    limitRoutes(dependencies),
    metricsRoutes(services.metrics, dependencies.publicMetrics),
  ]
}

/**
 * Builds the whole service as a value: it does not listen and reads nothing from the environment.
 */
export function createApp(dependencies: AppDependencies) {
  const { database, adminKey, rateLimit, log } = dependencies
  const services = servicesOf(dependencies)
  const { clientAddress } = services
  const publicPath = publicPathOf(dependencies.publicUrl)
  const server: OperationServices = {
    publicPath,
    access: createAccess(database, hashKey(adminKey)),
    presumedRequesters: new PresumedRequesters(),
    clientAddress,
    onBehalfOf: database.onBehalfOf,
    readBody: createBodyReader(dependencies.maxBody, services.budget),
    bodyBudget: services.budget,
    limitRate: createRateLimit(rateLimit),
    log,
    noteKeyUse: (caller) => services.keyUses.note(caller),
  }
  const app = createRouter(createGetPath(dependencies.publicUrl))

  app.use(crossOrigin())
  app.use(requestId())
  const recorder = services.metrics.requests
  app.use(observe({ log, recorder, clientAddress, slowMs: dependencies.slowRequest }))
  app.use(compress())
  app.use(
    timing({
      enabled: (c) => c.get('showsTiming') === true,
      totalDescription: '',
      crossOrigin: true,
    }),
  )
  app.use((c, next) => {
    c.set('server', server)
    return next()
  })
  for (const router of routersOf(dependencies, services)) app.route('/', router)

  const document = openApiDocument(app, publicPath)
  app.route('/', documentRoutes(document))
  app.route('/', swaggerRoutes())
  app.route('/', welcomeRoutes(version, publicPath))
  app.route('/', pageRoutes(services.publicUrl))
  if (dependencies.mcp) app.route('/', mcpRoutes(app.fetch, services.publicUrl))
  app.notFound(refuseUnknown(app))
  app.onError(renderErrors(log))
  const { searchIndexes, vectorCache, wordCache, cleaner, keyUses, maps } = services
  return { app, document, searchIndexes, vectorCache, wordCache, cleaner, keyUses, maps }
}
