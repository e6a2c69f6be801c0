import { RE2JS } from 're2js'
import { InvalidScheme } from './invalid-scheme.ts'
import { toRe2 } from './re2-syntax.ts'

/** RE2 instructions per schema. 50,000 occupy about 12 MB. */
const maxInstructions = 50_000

/**
 * Compiles the patterns of one schema. They are untrusted. RE2 matches any pattern in linear time,
 * but a short pattern can compile to a very large program.
 */
export class Patterns {
  instructions = 0

  /**
   * The form that Ajv expects. It needs `code` only to generate standalone code, which is not done
   * here.
   */
  readonly compiler = Object.assign((pattern: string) => this.#compile(pattern), { code: 'RE2JS' })

  #compile(pattern: string): RE2JS {
    const compiled = RE2JS.compile(toRe2(pattern))
    this.instructions += compiled.programSize()
    if (this.instructions > maxInstructions) throw new InvalidScheme('its patterns are too large')
    return compiled
  }
}
