import { closeSync, existsSync, openSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLog, linesForPeople, linesTo } from '../../src/log.ts'

const control = /(?!\n)\p{Cc}/u

describe('the log', () => {
  it.skipIf(!existsSync('/dev/full'))('goes on when its disk is full', () => {
    const fd = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(fd))
    const output = linesTo(fd)
    const log = createLog(false, output)
    for (let line = 0; line < 2_000; line += 1) log.info('request refused', { detail: 'so' })
    expect(Reflect.get(output, '_len'), 'bytes that wait for room').toBeLessThanOrEqual(65_536)
  })

  it('lets clients neither begin a line nor steer the terminal of an operator', () => {
    const terminal = new PassThrough()
    const log = createLog(false, linesForPeople(terminal))
    const request = { method: 'GET', route: 'none', status: 404, ms: 1, caller: '_nobody' }
    const detail = 'There is nothing at /\u001b[2J\r\nINFO: the key is \u009b5m\u007f'
    log.info('request refused', { client: '192.0.2.1', ...request, detail })
    const text = String(terminal.read())
    expect(text.match(/\n/g)).toHaveLength(1)
    expect(text).not.toMatch(control)
    expect(text).toContain(
      'request refused GET none 404 1 ms _nobody from 192.0.2.1: There is nothing at ' +
        String.raw`/\u001b[2J\u000d\u000aINFO: the key is \u009b5m\u007f`,
    )
  })

  it('writes no control character into lines for programs either', () => {
    const output = new PassThrough()
    const detail = '\u001b[2J\r\n\u0080\u009b5m\u009f\u007f\u00a0ü😀'
    createLog(false, output).info('request refused', { detail })
    const text = String(output.read())
    expect(text).not.toMatch(control)
    expect(text).toContain(String.raw`\u0080\u009b5m\u009f\u007f`)
    expect(JSON.parse(text).detail).toBe(detail)
  })

  it('shows people a line that is about no request as it is', () => {
    const terminal = new PassThrough()
    createLog(false, linesForPeople(terminal)).warn('PostgreSQL has not answered')
    expect(String(terminal.read())).toMatch(/WARN: PostgreSQL has not answered\n$/)
  })
})
