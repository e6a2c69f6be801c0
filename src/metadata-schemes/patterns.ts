import { RE2JS } from 're2js'
import { InvalidScheme } from './invalid-scheme.ts'
import { toRe2 } from './re2-syntax.ts'

/** Of RE2's machine; 50,000 occupy about 12 MB. */
const maxInstructions = 50_000

/**
 * Compiles the patterns of one schema. Strangers write them: RE2 matches in linear time, whatever
 * they are, and a short pattern can stand for a very large machine.
 */
export class Patterns {
  instructions = 0

  /** What Ajv takes; `code` is for code that is printed, which none is. */
  readonly compiler = Object.assign((pattern: string) => this.#compile(pattern), { code: 'RE2JS' })

  #compile(pattern: string): RE2JS {
    const compiled = RE2JS.compile(toRe2(pattern))
    this.instructions += compiled.programSize()
    if (this.instructions > maxInstructions) throw new InvalidScheme('its patterns are too large')
    return compiled
  }
}
