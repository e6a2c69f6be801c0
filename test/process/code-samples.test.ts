import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { exampleFile } from '../../src/project-files/schemas.ts'
import type { OpenApiDocument } from '../../src/service/docs/document.ts'
import { interpreters, type Printed } from '../support/code-samples/interpreters.ts'
import { answersOf, type DocumentedOperation, operationsOf } from '../support/openapi/document.ts'
import { member } from '../support/openapi/document-schemas.ts'
import { sampled } from '../support/run/full-run.ts'
import { node } from '../support/servers/program.ts'
import { sharedServer } from '../support/servers/shared-server.ts'
import { newFolder, preparedSite } from '../support/servers/site.ts'
import { World } from '../swagger/world.ts'

/** The files that samples keep an answer in. */
const saved: Readonly<Record<string, string>> = {
  exportProject: 'verses.ndjson',
  backUpDatabase: 'semblance.tar',
}

function sampleOf({ declared, id }: DocumentedOperation, label: string): string {
  const samples: unknown[] = declared['x-codeSamples']
  const source = member(
    samples.find((each) => member(each, 'label') === label),
    'source',
  )
  if (typeof source !== 'string') throw new Error(`${id} has no sample in ${label}`)
  return source
}

/** What is wrong with how a sample went: it prints its status before or behind the answer, or keeps a file. */
async function wrongIn(
  operation: DocumentedOperation,
  { printed, failure }: Printed,
  folder: string,
): Promise<string | undefined> {
  if (failure !== null) return failure
  const file = saved[operation.id]
  if (file !== undefined) {
    return (await readFile(join(folder, file))).length > 0 ? undefined : `${file} is empty`
  }
  const status = /^(\d{3}) |\n(\d{3})\s*$/.exec(printed)?.slice(1).find(Boolean) ?? ''
  const isDocumented = answersOf(operation).some(([declared]) => declared === status)
  const isWhole = !/["']error["']/.test(printed)
  return status.startsWith('2') && isDocumented && isWhole ? undefined : printed
}

describe('the code samples of the document', () => {
  const running = sharedServer(node, preparedSite)

  for (const [place, { label, start }] of interpreters.entries()) {
    it(`in ${label} are answered as it says`, async () => {
      const { url, key } = running()
      const text = await (await fetch(`${url}/openapi.json`)).text()
      const document: OpenApiDocument = JSON.parse(text)
      const world = new World({ url, key })
      const folder = await newFolder()
      const interpreter = start({ folder, env: { SEMBLANCE_URL: url, SEMBLANCE_KEY: key } })
      onTestFinished(() => interpreter.end())
      const wrong: string[] = []
      const all = operationsOf(document)
      const inTurn = (_: unknown, index: number) => index % interpreters.length === place
      for (const operation of sampled(`code samples in ${label}`, all, inTurn)) {
        if (operation.id === 'importProject') {
          await writeFile(join(folder, 'verses.semblance'), exampleFile)
        }
        await world.prepareFor(operation)
        const source = sampleOf(operation, label)
        const found = await wrongIn(operation, await interpreter.run(source), folder)
        if (found !== undefined) wrong.push(`${operation.id}: ${source}\n${found}`)
      }
      expect(wrong).toEqual([])
    })
  }
})
