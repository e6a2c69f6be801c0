#!/usr/bin/env node
import { refusedRuntime } from './runtime-version.ts'

const refusal = refusedRuntime(process.versions)
if (refusal === undefined) {
  // Imported after the check, because an old runtime could not even link it.
  void import('./cli/run.ts').then(({ runToItsEnd }) =>
    runToItsEnd(process.argv.slice(2), process.env),
  )
} else {
  process.stderr.write(`semblance: ${refusal}\n`)
  process.exitCode = 1
}
