import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { node, Program, toItsEnd } from '../support/servers/program.ts'
import { stages, startServer } from '../support/servers/server.ts'
import { newFolder } from '../support/servers/site.ts'

const example = fileURLToPath(new URL('../../examples/parallels/parallels.js', import.meta.url))

for (const { title, runtime, site: newSite } of stages) {
  describe(`examples/parallels (${title})`, () => {
    it('finds the parallels, twice, and leaves a public project behind', async () => {
      const { url, key } = await startServer(runtime, await newSite())
      const env = { SEMBLANCE_URL: url, ADMIN_KEY: key }
      const folder = await newFolder()
      const run = () => toItsEnd(new Program(node.command ?? 'node', [example], { folder, env }))

      const first = await run()
      expect(first).toMatchObject({ exit: 0, stderr: '' })
      expect(first.stdout).toContain('Uploaded 3779 of 3779 verses\n')
      expect(first.stdout).toMatch(/^ {2}0\.\d{3} {2}luke-11-2 {6}And he said unto them/m)
      const second = await run()
      expect(second).toMatchObject({ exit: 0, stderr: '' })
      expect(second.stdout).toContain('All 3779 verses are there already.\n')
      const found = /^matthew-3-17:[\s\S]*/m
      expect(found.exec(second.stdout)?.[0]).toBe(found.exec(first.stdout)?.[0])

      const anybody = await fetch(`${url}/v1/similars/evangelist/gospels/john-1-1?count=3`)
      expect(anybody.status).toBe(200)
      expect(await anybody.json()).toMatchObject({ results: [{}, {}, {}] })
    })
  })
}
