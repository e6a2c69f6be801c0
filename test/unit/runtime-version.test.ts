import { describe, expect, it } from 'vitest'
import { refusedRuntime } from '../../src/runtime-version.ts'

describe('the version of the runtime', () => {
  it.each([...['20.19.0', '20.20.2', '22.2.0', '22.12.0', '24.0.0', '100.1.2']])(
    'is new enough: Node %s',
    (node) => {
      expect(refusedRuntime({ node })).toBeUndefined()
    },
  )

  it.each([...['14.21.3', '18.20.8', '20.18.3', '21.7.3', '22.1.0', '9.0.0']])(
    'is too old: Node %s',
    (node) => {
      const message = `this is Node ${node}, and Semblance needs Node 20.19, 22.2 or newer`
      expect(refusedRuntime({ node })).toBe(message)
    },
  )

  it('of Bun counts on Bun, whatever Node it stands for', () => {
    expect(refusedRuntime({ node: '24.0.0', bun: '1.4.0' })).toBeUndefined()
    expect(refusedRuntime({ node: '18.0.0', bun: '2.0.1' })).toBeUndefined()
    const message = 'this is Bun 1.3.14, and Semblance needs Bun 1.4 or newer'
    expect(refusedRuntime({ node: '24.0.0', bun: '1.3.14' })).toBe(message)
  })
})
