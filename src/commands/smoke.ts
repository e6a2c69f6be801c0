import { defineCommand } from 'citty'

export const smoke = (_env: NodeJS.ProcessEnv) => defineCommand({ meta: { name: 'smoke' } })
