// npm run db:generate: sees to it that the migration that was just written is applied. Drizzle stamps it by
// the clock, and skips what has no higher stamp than the one before, which may lie ahead of this clock.
import { readFileSync, writeFileSync } from 'node:fs'

const [, , file] = process.argv
const journal = JSON.parse(readFileSync(file, 'utf8'))
const [before, last] = journal.entries.slice(-2)
if (last?.when <= before?.when) {
  last.when = before.when + 1
  writeFileSync(file, JSON.stringify(journal, null, 2))
}
