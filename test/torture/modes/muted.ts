import type { Mode } from '../stage.ts'
export const muted: Mode = async () => {}
