import { describe, expect, inject, it } from 'vitest'
import { readAnn } from '../support/servers/prepared.ts'
import { type Runtime, toItsEnd } from '../support/servers/program.ts'
import {
  filledSite,
  isEmbedded,
  migration,
  newKey,
  oldKeyOf,
  rotated,
  rotation,
  secrets,
  withKey,
  wrongKey,
} from '../support/servers/rotation.ts'
import { type Stage, stages, startServer, stop } from '../support/servers/server.ts'
import { createSecrets, putAnn } from '../support/servers/stored-secrets.ts'

/** On the embedded database it takes what another server has left. */
async function filled(runtime: Runtime, newSite: Stage['site']) {
  const site = await newSite()
  if (isEmbedded(site)) {
    return { site: await filledSite(), ann: await readAnn(inject('prepared')) }
  }
  const first = await startServer(runtime, site)
  const ann = await createSecrets(first)
  await stop(first)
  return { site, ann }
}

for (const { title, runtime, site: newSite } of stages) {
  describe(`a rotation (${title})`, () => {
    it('seals everything with the new key, and the old one is refused', async () => {
      const { site, ann } = await filled(runtime, newSite)
      const oldKey = await oldKeyOf(site)
      const before = await secrets(site, oldKey)
      const { exit, stdout, stderr } = await toItsEnd(rotation(site, runtime))
      expect(exit).toBe(0)
      expect(stdout).toMatch(/^Sealed the keys of 1 users and 1 instances with the new key\n.*\n$/)
      expect(stderr).toMatch(/^re-sealed 1 rows of users\nre-sealed 1 rows of instances\n$/)
      expect(stdout + stderr).not.toMatch(new RegExp(`smb_|provider-secret|${newKey}|${oldKey}`))

      const after = await secrets(site, newKey)
      expect(after.texts).toEqual(before.texts)
      expect(new Set([...after.forms, ...before.forms]).size).toBe(2)
      expect(await toItsEnd(migration(withKey(site, oldKey), runtime))).toEqual(wrongKey)
      const server = await startServer(runtime, rotated(site))
      expect(await putAnn(server)).toEqual(ann)
    })
  })
}
