import { expect, it } from 'vitest'
import { randomNumbers } from '../shared/random-numbers.ts'

const { chooseGroup, groups } = await import(new URL('../../.ci/steps.js', import.meta.url).href)
const names: string[] = groups.map(({ name }: { name: string }) => name)

/** The groups that fifty runs try, one after the other, each of which has changed with this probability before a run. */
function groupsTried(firstRun: number, probability: number): (string | undefined)[] {
  const random = randomNumbers(firstRun)
  const tried: Record<string, number> = {}
  let concerned: string[] = []
  return Array.from({ length: 50 }, (_, index) => {
    concerned = names.filter((name) => concerned.includes(name) || random() < probability)
    const name: string | undefined = chooseGroup(firstRun + index, tried, concerned)?.name
    if (name !== undefined) tried[name] = firstRun + index
    concerned = concerned.filter((each) => each !== name)
    return name
  })
}

it.each([0, 0.02, 0.2, 1])('seven runs of CI try all, if %d of it changes each time', (share) => {
  for (let firstRun = 1; firstRun < 9; firstRun += 1) {
    const tried = groupsTried(firstRun, share)
    for (let run = 0; run + 7 <= tried.length; run += 1) {
      expect(tried.slice(run, run + 7)).toEqual(expect.arrayContaining(names))
    }
  }
})

it('a run of CI tries what has changed before what is only due at some time', () => {
  const tried = Object.fromEntries(names.map((name, index) => [name, index]))
  for (const name of names) expect(chooseGroup(6, tried, [name]).name).toBe(name)
  expect(chooseGroup(6, tried, names).name).toBe(names[0])
  expect(chooseGroup(6, tried, [])).toBeUndefined()
  expect(chooseGroup(7, tried, names.slice(1)).name).toBe(names[0])
})
