import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ConnectionOptions, TlsOptions } from '../../src/db/postgres/connection-options.ts'
import { openSocket } from '../../src/db/postgres/socket.ts'
import { occupyPort } from '../support/servers/ports.ts'

const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])

const settingsFor = (port: number, mode: TlsOptions['mode'] = 'prefer'): ConnectionOptions => ({
  host: '127.0.0.1',
  port,
  user: 'ann',
  password: 'secret',
  database: 'texts',
  tls: { mode },
})

/** A server that does `answer` when it is asked for TLS, and notes all that it receives. */
async function serverThat(answer: (client: Socket) => void) {
  const received: Buffer[] = []
  const port = await occupyPort(0, (client) => {
    onTestFinished(() => void client.destroy())
    client.on('error', () => {}).on('data', (bytes) => received.push(bytes))
    client.once('data', () => answer(client))
  })
  return { port, received }
}

const says = (text: string) => serverThat((client) => client.write(text))

describe('a socket to PostgreSQL', () => {
  it.each([
    ['that has none where it is required', 'N', 'speaks no TLS; turn it on there'],
    ['that says more than that it has it', `S${'x'.repeat(50)}`, 'gave no valid answer'],
    ['that says more than that it has none', 'Nx', 'gave no valid answer'],
    ['that is none', 'HTTP/1.1 400 Bad Request\r\n', 'gave no valid answer'],
    ['that has an error', 'E', 'gave no valid answer'],
  ])('is refused to a server %s', async (_, answer, what) => {
    const { port, received } = await says(answer)
    const opening = openSocket(settingsFor(port, 'require'))
    await expect(opening).rejects.toMatchObject({
      code: 'CONNECTION_TLS',
      message: expect.stringContaining(`PostgreSQL at 127.0.0.1:${port} ${what}`),
    })
    expect(Buffer.concat(received), 'nothing but the question was sent').toEqual(sslRequest)
  })

  it('is refused to a server that speaks something else after its yes', async () => {
    const { port } = await serverThat((client) => {
      client.write('S')
      client.once('data', () => client.write('this is no handshake'))
    })
    await expect(openSocket(settingsFor(port, 'require'))).rejects.toMatchObject({
      code: 'CONNECTION_TLS',
      message: expect.stringContaining('found no common way to speak TLS'),
    })
  })

  it.each([
    ['before its answer', ''],
    ['after it', 'S'],
  ])('is an error with a code when the server hangs up %s', async (_, answer) => {
    const { port } = await serverThat((client) => client.end(answer))
    await expect(openSocket(settingsFor(port))).rejects.toMatchObject({
      code: expect.stringMatching(/^(ECONNRESET|CONNECTION_CLOSED)$/),
    })
  })

  it('is given up after 10 seconds of silence', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let silent = () => {}
    const asked = new Promise<void>((resolve) => {
      silent = resolve
    })
    const { port } = await serverThat(silent)
    const opening = openSocket(settingsFor(port))
    const refused = expect(opening).rejects.toMatchObject({ code: 'CONNECT_TIMEOUT' })
    await asked
    vi.advanceTimersByTime(9_999)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(1)
    await refused
  })
})
