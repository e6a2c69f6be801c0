import type { Mode } from '../stage.ts'
export const servers: Mode = async () => {}
