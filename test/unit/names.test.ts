import { expect, it } from 'vitest'
import { namesIn, textOf } from '../support/documents.ts'

const declared = /^export (?:async |abstract )?(?:function\*?|const|class|interface|type) (\w+)/gm

/** The files that export each name. */
function exportersOf(): Map<string, string[]> {
  const exporters = new Map<string, string[]>()
  const files = ['src', 'web'].flatMap((folder) =>
    namesIn(folder, true).flatMap((name) => (/\.tsx?$/.test(name) ? `${folder}/${name}` : [])),
  )
  for (const file of files) {
    const names = new Set([...textOf(file).matchAll(declared)].map(([, name = '']) => name))
    for (const name of names) exporters.set(name, [...(exporters.get(name) ?? []), file])
  }
  return exporters
}

it('no name is exported by two files, so that a search for it leads to one', () => {
  const exporters = [...exportersOf()]
  expect(exporters.length).toBeGreaterThan(1_000)
  expect(exporters.filter(([, files]) => files.length > 1)).toEqual([])
})
