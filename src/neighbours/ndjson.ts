import type { Step } from './steps.ts'

/**
 * The steps as lines of JSON, one object each. A failure after the first step is the last line.
 * @param problemOf what the client is told of it
 * @throws what fails before the first step
 */
export async function* linesOf(
  steps: AsyncGenerator<Step>,
  problemOf: (error: unknown) => object,
): AsyncGenerator<string> {
  let hasBegun = false
  try {
    for await (const step of steps) {
      hasBegun = true
      yield textOf(step)
    }
  } catch (error) {
    if (!hasBegun) throw error
    yield line({ error: problemOf(error) })
  }
}

const textOf = (step: Step) => ('rows' in step ? step.rows.map(line).join('') : line(step))
const line = (value: object) => `${JSON.stringify(value)}\n`
