import { connect } from 'node:net'
import { adminKey } from '../service.ts'
import type { Sent } from './cases.ts'
import type { Target } from './targets.ts'

const patienceMs = 120_000

/**
 * Sends a body over a connection of its own, as it is.
 * @returns the status of the answer, or why there was none
 */
export function send(url: string, target: Target, number: number, sent: Sent): Promise<string> {
  const { hostname, port } = new URL(url)
  const { method, path, hasKey, contentType } = target
  const head = [
    `${method} ${path(number)} HTTP/1.1`,
    'Host: torture',
    'Connection: close',
    ...(hasKey ? [`Authorization: Bearer ${adminKey}`] : []),
    ...(contentType === undefined ? [] : [`Content-Type: ${contentType}`]),
    ...sent.headers,
  ]
  return new Promise((resolve) => {
    let answer = ''
    let reason = 'no answer'
    const socket = connect(Number(port), hostname)
    socket.setTimeout(patienceMs, () => socket.destroy(new Error('no answer in time')))
    socket.setEncoding('latin1').on('data', (text) => {
      if (answer.length < 1_000) answer += text
    })
    socket.on('error', ({ message }) => {
      reason = message
    })
    socket.on('close', () => resolve(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? reason))
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    socket.write(sent.bytes)
  })
}
