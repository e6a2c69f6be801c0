import type { Answer } from './answers.ts'
import { tolerance } from './judge.ts'
import type { Model, Ranked } from './model.ts'
import { type Question, usual } from './question.ts'
import type { Near } from './questions.ts'

const compared = 10
const fewestAnswers = 200
/** Of what was promised, by `min_recall`. */
const leastShare = 0.98 / 0.99
const promised = 0.99

interface Seen {
  answers: number
  wanted: number
  found: number
}

/** How many of the ten most similar the approximate answers of a round have had, by kind of documents. */
export class Recall {
  readonly #seen = new Map<string, Seen>()
  readonly #notJudged: RegExp

  /**
   * Of what is like the documents: what lies between them, or anywhere, is harder to search for. So
   * are random vectors, among which a search index finds few of the nearest.
   */
  constructor(hasIndexes: boolean) {
    this.#notJudged = hasIndexes ? /between|anywhere|isotropic/ : /between|anywhere/
  }

  note(
    model: Model,
    near: Near,
    question: Question,
    answer: Answer,
    ranked: readonly Ranked[],
  ): void {
    const { options } = question
    const { limit = usual.limit, offset = 0, threshold = usual.threshold } = options
    if (answer.mode !== 'approximate' || offset > 0 || limit < compared) return
    const right = ranked.slice(0, compared).filter(({ similarity }) => similarity >= threshold)
    const last = right.at(-1)
    if (last === undefined) return
    const near10 = answer.results.filter(
      ({ similarity }) => similarity >= last.similarity - tolerance,
    )
    const found = Math.min(near10.length, right.length)
    for (const name of namesFor(model, near, question)) {
      const seen = this.#seen.get(name) ?? { answers: 0, wanted: 0, found: 0 }
      seen.answers += 1
      seen.wanted += right.length
      seen.found += found
      this.#seen.set(name, seen)
    }
  }

  flaws(): string[] {
    const judged = [...this.#seen].filter(([name]) => !this.#notJudged.test(name))
    return judged.flatMap(([name, { answers, found, wanted }]) => {
      const [, asked] = / at (\S+)$/.exec(name) ?? []
      const least = Number(asked ?? promised) * leastShare
      const isLow = answers >= fewestAnswers && found / wanted < least
      return isLow
        ? [`recall@10 of ${name}: ${(found / wanted).toFixed(4)} (${answers} answers)`]
        : []
    })
  }

  get figures(): Record<string, string> {
    const rows = [...this.#seen].toSorted(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(
      rows.map(([name, { answers, found, wanted }]) => [
        `recall@10 of ${name}`,
        `${(found / wanted).toFixed(4)} (${answers})`,
      ]),
    )
  }
}

/** Those of each project stand by themselves too: one bad index is not to be hidden by three good ones. */
function namesFor(model: Model, near: string, { options }: Question): string[] {
  const isFiltered = options.filter !== undefined || options.metadata_path !== undefined
  const asked = options.min_recall ?? promised
  const name = `${near}${isFiltered ? ' filtered' : ''}${asked === promised ? '' : ` at ${asked}`}`
  return [name, `${model.owner}/${model.handle} ${model.dimensions}d ${name}`]
}
