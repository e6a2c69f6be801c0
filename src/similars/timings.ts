import type { Statements } from './statements.ts'

/** Milliseconds that a search spent in each kind of its statements, waits for a connection included. */
export type Timings = { [part in 'exactly' | 'byIndex']?: number }

/** Groups are looked for by several searches. */
export function addTime(timings: Timings, part: keyof Timings, start: number): void {
  timings[part] = (timings[part] ?? 0) + performance.now() - start
}

/** The statements for one search, which is told how long they took. */
export function timed(statements: Statements): { statements: Statements; timings: Timings } {
  const timings: Timings = {}
  async function time<T>(part: keyof Timings, work: Promise<T>): Promise<T> {
    const start = performance.now()
    const result = await work
    addTime(timings, part, start)
    return result
  }
  return {
    timings,
    statements: {
      ...statements,
      exactly: (...given) => time('exactly', statements.exactly(...given)),
      matching: (...given) => time('exactly', statements.matching(...given)),
      kept: (...given) => time('exactly', statements.kept(...given)),
      byIndex: (...given) => time('byIndex', statements.byIndex(...given)),
    },
  }
}
