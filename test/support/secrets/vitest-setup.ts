import { afterAll, inject } from 'vitest'
import { adminKey, startedApp } from '../app.ts'
import { leaveFigures } from './figures.ts'
import { watch } from './watch.ts'

// At the end of each file, since nothing tells that its worker ends.
afterAll(async () => {
  const service = await startedApp()
  if (service !== undefined) {
    const headers = { Authorization: `Bearer ${adminKey}` }
    await service.app.request('/metrics', { headers })
    await watch.newRows(service.database)
  }
  watch.expectNoLeaks()
  await leaveFigures(inject('figures'))
})
