import { afterAll, inject } from 'vitest'
import { leaveFigures } from './figures.ts'
import { watch } from './watch.ts'

// At the end of each file, since nothing tells that its worker ends.
afterAll(async () => {
  await watch.endFile()
  await leaveFigures(inject('figures'))
})
