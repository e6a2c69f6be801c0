import { defineCommand } from 'citty'
import { createLog } from '../log.ts'
import { checkAddress } from '../server/address.ts'
import { listenOnBun } from '../server/bun.ts'
import type { Listening, RunningServer } from '../server/listening.ts'
import { listenOnNode } from '../server/node.ts'
import { checkConnections, openService } from '../server/startup.ts'
import { configFrom, settingArgs } from './flags.ts'

const listen = async (options: Listening): Promise<RunningServer> =>
  globalThis.Bun === undefined ? listenOnNode(options) : listenOnBun(globalThis.Bun, options)

export const serve = (env: NodeJS.ProcessEnv) =>
  defineCommand({
    meta: { name: 'serve', description: 'Start the service' },
    args: settingArgs,
    async run(context) {
      const config = configFrom(context, env)
      const log = createLog(config.debug)
      process.on('unhandledRejection', (cause) => log.error('unhandled rejection', { cause }))
      const asked = askedToStop()
      const opening = openService(config, log, async () => {
        await checkAddress(config)
        await checkConnections(config, log)
      })
      const service = await Promise.race([opening, asked])
      if (service === undefined) return
      const { app, database, searchIndexes, cleaner, adminKeyFile, encryptionKeyFile } = service
      const server = await listen({ ...config, fetch: (request) => app.fetch(request) }).catch(
        async (error) => {
          await database.close()
          throw error
        },
      )
      searchIndexes.start()
      cleaner.start()
      announce(server.url, database.engine, { adminKeyFile, encryptionKeyFile })
      await asked
      log.info('stopping')
      searchIndexes.stop()
      cleaner.stop()
      // Whatever hangs: a stop takes less than 10 s. What was acknowledged is stored by now.
      setTimeout(() => process.exit(0), 9_000).unref()
      await server.stop()
      await database.close()
    },
  })

/** For a shell: a path may hold anything, and the brackets of an IPv6 address are a pattern to some. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

interface KeyFiles {
  readonly adminKeyFile: string | undefined
  readonly encryptionKeyFile: string | undefined
}

function announce(url: string, engine: string, files: KeyFiles): void {
  const { adminKeyFile, encryptionKeyFile } = files
  const key = adminKeyFile === undefined ? '$SERVICE_ADMINKEY' : `$(cat ${quoted(adminKeyFile)})`
  const lines = [
    `Semblance is listening on ${url} (${engine} database); its documentation is at ${url}/docs`,
    ...(adminKeyFile === undefined ? [] : [`The administrator key is in ${adminKeyFile}`]),
    ...(encryptionKeyFile === undefined
      ? []
      : [`The key that seals stored secrets is in ${encryptionKeyFile}; keep it`]),
    `Try: curl -H "Authorization: Bearer ${key}" ${quoted(`${url}/v1/users`)}`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** Resolves at the first signal. More are taken and ignored: at Ctrl-C npm passes on one of its own. */
function askedToStop(): Promise<undefined> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => resolve(undefined))
  })
}
