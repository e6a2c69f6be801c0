import { cp } from 'node:fs/promises'
import { leastEffort, usualEfforts, wantedRecall } from '../effort.ts'
import { cpuOf, residentMemoryOf } from '../processes.ts'
import { withFolder } from '../server.ts'
import { chromaName, installChroma } from './chroma-install.ts'
import { createCollection, protocolOf, setEfSearch } from './chroma-protocol.ts'
import { type ChromaServer, withChroma } from './chroma-server.ts'
import { findBy, searchesOf, uploadAll } from './http-server.ts'
import type { Filling, Opener, Peer, PeersBench } from './peer.ts'
import { quiet } from './quiet.ts'
import { recallOf } from './recall.ts'
import { reportRestart } from './restart.ts'

const defaultEfSearch = 100

/** Chroma as it is by default and, where that does not reach the recall, with more effort as well. */
export const chroma: Opener = async (bench, use) => {
  const command = await installChroma()
  if (command === undefined) return use([])
  await withFolder(async (folder) => {
    const { id, emptyMemory } = await withChroma(command, folder, async (server) => {
      const id = await createCollection(server.url)
      const filling = await fill(bench, server, id)
      const peer = peerOf(bench, server, id, chromaName, filling)
      const recall = await recallOf(bench.questions, peer.find, {})
      if (recall >= wantedRecall) await use([peer])
      else {
        await withTuned(command, folder, bench, id, (tuned) => use([peer, tuned]))
      }
      return { id, emptyMemory: filling.emptyMemory }
    })
    await withChroma(command, folder, async ({ url, pid, listeningAt }) => {
      const protocol = protocolOf(url, id, bench.set)
      const memory = () => residentMemoryOf(pid)
      const about = { name: chromaName, kind: 'chroma' as const, protocol, listeningAt }
      await reportRestart(bench, { ...about, memory, emptyMemory })
    })
  })
}

/** The same data in a server of its own, as an effort counts only from the next start on. */
async function withTuned(
  command: string,
  folder: string,
  bench: PeersBench,
  id: string,
  use: (peer: Peer) => Promise<void>,
): Promise<void> {
  await withFolder(async (copy) => {
    await cp(folder, copy, { recursive: true })
    const setEffort = (efSearch: number) =>
      withChroma(command, copy, ({ url }) => setEfSearch(url, id, efSearch))
    const recallAt = async (efSearch: number) => {
      await setEffort(efSearch)
      return withChroma(command, copy, (server) =>
        recallOf(bench.questions, peerOf(bench, server, id, '').find, {}),
      )
    }
    const larger = usualEfforts.filter((efSearch) => efSearch > defaultEfSearch)
    const { efSearch } = await leastEffort(recallAt, wantedRecall, larger)
    await setEffort(efSearch)
    const name = `${chromaName}, ef_search ${efSearch}`
    await withChroma(command, copy, (server) => use(peerOf(bench, server, id, name)))
  })
}

async function fill({ set }: PeersBench, server: ChromaServer, id: string): Promise<Filling> {
  const protocol = protocolOf(server.url, id, set)
  const emptyMemory = residentMemoryOf(server.pid)
  const perSecond = await uploadAll(set, protocol)
  const search = () => findBy(protocol, set.vectors, {})
  const readySeconds = await quiet(async () => cpuOf(server.pid), search)
  return { perSecond, readySeconds, emptyMemory }
}

function peerOf(
  { set }: PeersBench,
  server: ChromaServer,
  id: string,
  name: string,
  filling?: Filling,
): Peer {
  const protocol = protocolOf(server.url, id, set)
  return {
    name,
    kind: 'chroma',
    filling,
    job: (queries, ask) => searchesOf(protocol, queries, ask),
    find: async (query, ask) => ({ found: (await findBy(protocol, query, ask)).found }),
    cpu: async () => cpuOf(server.pid),
    memory: () => residentMemoryOf(server.pid),
  }
}
