/** Choices that follow from a seed. */
export class Dice {
  readonly random: () => number

  constructor(random: () => number) {
    this.random = random
  }

  chance = (probability: number) => this.random() < probability

  /** Both ends are possible. */
  whole = (least: number, most: number) => least + Math.floor(this.random() * (most - least + 1))

  between = (least: number, most: number) => least + this.random() * (most - least)

  of<T>(choices: readonly T[]): T {
    const index = Math.floor(this.random() * choices.length)
    // Undefined may be a choice too.
    for (const chosen of choices.slice(index, index + 1)) return chosen
    throw new Error('there is nothing to choose from')
  }

  maybe<T>(probability: number, choose: () => T): T | undefined {
    return this.chance(probability) ? choose() : undefined
  }

  /** Different ones, at most as many as there are. */
  some<T>(choices: readonly T[], count: number): T[] {
    const left = [...choices]
    const chosen: T[] = []
    while (chosen.length < count && left.length > 0) {
      const index = Math.floor(this.random() * left.length)
      chosen.push(...left.slice(index, index + 1))
      const last = left.pop()
      if (last !== undefined && index < left.length) left[index] = last
    }
    return chosen
  }

  /** Each as often as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let left = this.random() * choices.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, choice] of choices) {
      left -= weight
      if (left < 0) return choice
    }
    return this.of(choices)[1]
  }

  /** Of the normal distribution (Box and Muller). */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.random()))
    return radius * Math.cos(2 * Math.PI * this.random())
  }
}
