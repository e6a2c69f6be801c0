import { expect, it } from 'vitest'
import { OpenQuestions } from '../../src/server/processes/open-questions.ts'

it('waits for no answer to what could not be asked', async () => {
  const questions = new OpenQuestions<string>(1_000_000)
  expect(await questions.ask(() => false)).toBeUndefined()
})

it('takes an answer, and none that comes too late', async () => {
  const questions = new OpenQuestions<string>(20)
  const asked: number[] = []
  const first = questions.ask((id) => asked.push(id) > 0)
  questions.answered(asked[0] ?? 0, 'here')
  expect(await first).toBe('here')
  expect(await questions.ask(() => true)).toBeUndefined()
})
