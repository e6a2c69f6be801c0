import { describe, expect, it } from 'vitest'
import { parseAllowedHosts } from '../../src/providers/allowed-hosts.ts'

/** Whether a URL may be asked, where its host stands for this address. */
function mayAsk(list: string, url: string, address?: string): boolean | undefined {
  const hosts = parseAllowedHosts(list)
  const { hostname } = new URL(url)
  const resolved = address ?? hostname.replace(/^\[|\]$/g, '')
  return hosts?.includes(new URL(url)) && hosts.mayBe(new URL(url), resolved)
}

describe('the hosts that texts may be sent to', () => {
  it('are none that are not named', () => {
    for (const list of ['', ' , ', 'api.example.com']) {
      expect(mayAsk(list, 'https://other.example.com/v1', '8.8.8.8')).toBe(false)
      expect(mayAsk(list, 'http://127.0.0.1/')).toBe(false)
    }
  })

  it('are those of the name and the port, however they are written', () => {
    const list = 'API.example.com, localhost:11434 , xn--bcher-kva.example:8080'
    expect(mayAsk(list, 'https://api.example.com/v1', '8.8.8.8')).toBe(true)
    expect(mayAsk(list, 'https://api.example.com./v1', '8.8.8.8')).toBe(true)
    expect(mayAsk(list, 'http://api.example.com/v1', '8.8.8.8')).toBe(false)
    expect(mayAsk('api.example.com:80', 'http://api.example.com/v1', '8.8.8.8')).toBe(true)
    expect(mayAsk(list, 'https://api.example.com:8443/v1', '8.8.8.8')).toBe(false)
    expect(mayAsk(list, 'https://api.example.com.evil.example/v1', '8.8.8.8')).toBe(false)
    expect(mayAsk(list, 'https://evil.example/api.example.com', '8.8.8.8')).toBe(false)
    expect(mayAsk(list, 'http://bücher.example:8080/', '8.8.8.8')).toBe(true)
    expect(mayAsk(list, 'http://localhost:11434/', '127.0.0.1')).toBe(true)
    expect(mayAsk(list, 'http://localhost:11434/', '::1')).toBe(true)
    expect(mayAsk(list, 'http://localhost:11435/', '127.0.0.1')).toBe(false)
  })

  it('are not those of the house, unless they are named', () => {
    for (const address of [
      ...['127.0.0.1', '127.255.0.1', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
      ...['169.254.169.254', '0.0.0.0', '100.64.0.1', '192.0.0.192', '198.18.0.1', '224.0.0.1'],
      ...['255.255.255.255', '::', '::1', 'fe80::1', 'fc00::1', 'fd12:3456::1', 'ff02::1'],
      ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '64:ff9b::7f00:1'],
      ...['2002:7f00:1::', '2001::1', '2001:db8::1', '::127.0.0.1', 'fec0::1'],
    ]) {
      expect([address, mayAsk('*', 'https://api.example.com/', address)]).toEqual([address, false])
      const named = mayAsk('api.example.com', 'https://api.example.com/', address)
      expect([address, named]).toEqual([address, false])
    }
    for (const address of ['8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8']) {
      const isPublic = address !== '' && mayAsk('*', 'https://api.example.com/', address)
      expect([address, isPublic]).toEqual([address, true])
    }
  })

  it.each([
    ...['http://2130706433/', 'http://0x7f.1/', 'http://0177.0.0.1/', 'http://127.1/', 'http://0/'],
    ...['http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[0:0:0:0:0:ffff:7f00:1]/'],
    ...['http://[::ffff:a9fe:a9fe]/', 'http://169.254.169.254/latest', 'http://3232235777/'],
  ])('do not become public by another way to write them: %s', (url) => {
    expect(mayAsk('*', url)).toBe(false)
  })

  it('may be named by their addresses, and by ranges', () => {
    expect(mayAsk('127.0.0.1:9000', 'http://127.0.0.1:9000/')).toBe(true)
    expect(mayAsk('127.0.0.1:9000', 'http://2130706433:9000/')).toBe(true)
    expect(mayAsk('127.0.0.1:9000', 'http://127.0.0.1:9001/')).toBe(false)
    expect(mayAsk('[::1]:9000', 'http://[::1]:9000/')).toBe(true)
    expect(mayAsk('10.0.0.0/8', 'http://10.2.3.4:1234/')).toBe(true)
    expect(mayAsk('10.0.0.0/8', 'http://11.2.3.4:1234/')).toBe(false)
    expect(mayAsk('10.0.0.0/8', 'http://gpu.example.com/', '10.2.3.4')).toBe(false)
    expect(mayAsk('gpu.example.com:80,10.0.0.0/8', 'http://gpu.example.com/', '10.2.3.4')).toBe(
      true,
    )
  })

  it('are at home where their names are, but never where machines ask for their secrets', () => {
    for (const name of ['ollama', 'gpu.lan', 'gpu.local', 'tei.internal']) {
      const list = `${name}:80`
      expect(mayAsk(list, `http://${name}/`, '172.18.0.2')).toBe(true)
      expect(mayAsk(list, `http://${name}/`, '169.254.169.254')).toBe(false)
      expect(mayAsk('*', `http://${name}/`, '172.18.0.2')).toBe(false)
    }
    expect(mayAsk('localhost:80', 'http://localhost/', '10.0.0.1')).toBe(false)
  })

  it.each([
    ...['http://api.example.com', 'a b', 'host:port', '10.0.0.0/33', 'user@host', '*.example.com'],
  ])('are no such thing as %s', (entry) => expect(parseAllowedHosts(entry)).toBeUndefined())
})
