import { Worker } from 'node:worker_threads'
import { it, vi } from 'vitest'
import { VectorFiles } from '../../../src/search/memory/files/vector-files.ts'
import { startWithVectorFiles } from '../../support/servers/vector-files.ts'
import { waitUntil } from '../../support/wait.ts'

const ids = Array.from({ length: 300 }, (_, at) => `t${at}`)
const messages = () => vi.spyOn(Worker.prototype, 'postMessage')

it('finds all vectors that were dropped and read again while their file was looked for', async () => {
  const { own, upload, untilInMemory, expectTruth } = await startWithVectorFiles(16_000, 5_000_000)
  // They are read in three groups.
  for (let from = 0; from < 40; from += 10) await upload(ids.slice(from, from + 10))
  await untilInMemory(own)
  let goOn = () => {}
  const gate = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const { find } = VectorFiles.prototype
  const looked = vi.spyOn(VectorFiles.prototype, 'find')
  looked.mockImplementationOnce(async function late(this: VectorFiles, collectionId) {
    await gate
    return find.call(this, collectionId)
  })
  const { postMessage } = Worker.prototype
  const told = messages()
  told.mockImplementation(function tell(this: Worker, message, ...more) {
    postMessage.call(this, message, ...more)
    if (message?.request?.do === 'load') goOn()
  })
  const dropped = () => own.vectorCache.forget(own.vectorCache.usage().held[0]?.collectionId ?? 0)
  dropped()
  await expectTruth(own, 16_000)
  await waitUntil(async () => looked.mock.calls.length === 1)
  dropped()
  await untilInMemory(own)
  await expectTruth(own, 16_000)
  vi.restoreAllMocks()
  await own.close()
})
