import { once } from 'node:events'
import { linkSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { randomNumbers } from '../../shared/random-numbers.ts'
import { node } from '../../support/servers/program.ts'
import { HttpClient } from '../http-client.ts'
import { Service, type Settings } from '../service.ts'
import type { Tally } from '../tally.ts'
import { Client } from './client.ts'
import { type Chance, Disk, differences } from './disk.ts'
import { History } from './history.ts'
import { entriesOf, type Logged } from './log.ts'

const dimensionsOfClients = [3, 64, 384, 1536]

/** As `node --liftoff-only`: a start takes two thirds of the time when V8 does not optimize the engine. */
const quick = `data:text/javascript,import{setFlagsFromString}from'node:v8';setFlagsFromString('--liftoff-only')`

/**
 * A service in a folder of its own, which generates its keys: their files have to be there too.
 * @param modules to be preloaded
 */
export const serviceIn = (site: string, log: string, ...modules: (string | URL)[]) => {
  const settings: Settings = {
    SERVICE_DATABASE: 'embedded',
    SERVICE_ADMINKEY: '',
    ENCRYPTION_KEY: '',
    NODE_OPTIONS: [quick, ...modules].map((module) => `--import=${module}`).join(' '),
  }
  return Service.create(node, site, settings, log)
}

/** A first start takes long where others work beside it; this is against one that hangs. */
export const patienceMs = 300_000

export const adminKeyIn = (site: string) => readFileSync(join(site, 'data', 'admin.key'), 'utf8')

/**
 * Lets a service begin anew, serve, make a backup, and start again, and writes down all that it does.
 * @param loadMs how long it serves, three times
 * @throws when that is not all of it
 */
export async function record(
  folder: string,
  tally: Tally,
  random: () => number,
  loadMs: number,
): Promise<Logged[]> {
  const [site, file] = [join(folder, 'site'), join(folder, 'log')]
  mkdirSync(site)
  const recorder = new URL('./recorder.js', import.meta.url)
  recorder.search = `${new URLSearchParams({ root: site, log: file })}`
  const service = await serviceIn(site, join(folder, 'server.log'), recorder)
  service.onCrash = (output) => tally.violate('other violations', `the server ${output}`)
  try {
    await service.start(patienceMs)
    await use(service, adminKeyIn(site), new History(file), tally, random, loadMs)
  } finally {
    await service.kill()
  }
  const log = entriesOf(readFileSync(file))
  const disk = new Disk(false)
  for (const logged of log) disk.apply(logged)
  const all: Chance = { random: () => 0, shareOf: () => 1, torn: 0 }
  for (const name of differences(site, disk.cut(all))) {
    throw new Error(`the log does not tell what was done to ${name}`)
  }
  rmSync(site, { recursive: true })
  await leaveSocket(folder)
  return log
}

async function use(
  service: Service,
  key: string,
  history: History,
  tally: Tally,
  random: () => number,
  loadMs: number,
): Promise<void> {
  history.acknowledged(history.sent({ admin: key }), { admin: key })
  const clients = dimensionsOfClients.map((dimensions) => {
    const own = randomNumbers(Math.floor(random() * 2 ** 32))
    return new Client(new HttpClient(service.url, tally), key, history, dimensions, own)
  })
  const load = async () => {
    const end = performance.now() + loadMs
    await Promise.all(clients.map((client) => client.run(() => performance.now() < end)))
  }
  await load()
  // Checkpoints are made for a backup, and at the end.
  const backup = fetch(`${service.url}/v1/admin/backup`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  })
  await Promise.all([load(), backup.then((answer) => answer.arrayBuffer())])
  await service.terminate()
  await service.start(patienceMs)
  await load()
  for (const client of clients) client.close()
}

/** Leaves the socket of a service that is gone, since such a one is in the lock of the folder. */
async function leaveSocket(folder: string): Promise<void> {
  const path = join(folder, 'listening')
  const server = createServer().listen(path)
  await once(server, 'listening')
  linkSync(path, join(folder, 'socket'))
  server.close()
}
