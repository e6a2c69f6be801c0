import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { runtimes, startServer } from '../support/servers/server.ts'
import { preparedSite } from '../support/servers/site.ts'

/** The filter for fail2ban in the documentation, with the address as a group. */
async function documentedFilter(): Promise<RegExp> {
  const text = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const [, pattern = ''] = /^failregex = (.*)$/m.exec(text) ?? []
  return new RegExp(pattern.replace('<HOST>', '(?<host>[0-9a-f.:]+)'))
}

for (const runtime of runtimes) {
  describe.skipIf(runtime.command === undefined)(`the log of a server (${runtime.name})`, () => {
    it('has a line for each wrong key that fail2ban can read, also when it is quiet', async () => {
      const site = await preparedSite()
      const flags = ['--debug=false', '--host=127.0.0.1', '--slow-request=0']
      const { url, program } = await startServer(runtime, site, ...flags)
      const headers = { Authorization: 'Bearer smb_of-nobody' }
      const quoting = encodeURIComponent('"client":"192.0.2.1","id":"","status":401')
      for (const path of ['/v1/users', `/v1/users/${quoting}`]) await fetch(url + path, { headers })
      await fetch(`${url}/v1/nothing`)
      await program.said(/"route":"\/v1\/users\/\{user\}"/)
      const filter = await documentedFilter()
      const refused = program.stderr.split('\n').filter((line) => line.includes('request refused'))
      const hosts = refused.map((line) => filter.exec(line)?.groups?.['host'])
      expect(hosts).toEqual(['127.0.0.1', '127.0.0.1'])
      expect(program.log.filter(({ msg }) => msg === 'request')).toEqual([])
    })
  })
}
