import { vi } from 'vitest'

/** Only what hangs takes longer: on a machine that others keep busy all takes ten times as long. */
const hungAfterMs = 120_000

/** Waits until `isSo` is true, or finds something. @returns what it found */
export const waitUntil = <T>(isSo: () => T | Promise<T>, interval = 50) =>
  vi.waitUntil(isSo, { timeout: hungAfterMs, interval })

/** Waits until `check` throws no more. @returns what it returned then */
export const waitUntilPassing = <T>(check: () => T | Promise<T>, interval = 50) =>
  vi.waitFor(check, { timeout: hungAfterMs, interval })
