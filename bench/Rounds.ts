/** Sides measured in turn, so that a slow minute of the machine slows all of them. */

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export const worst = (values: ReadonlyArray<number>): number => Math.max(...values)

/** The median of what two sides make of each other, round by round. */
export const across = (
  ours: ReadonlyArray<number>,
  floor: ReadonlyArray<number>,
  of: (ours: number, floor: number) => number = (a, b) => a / b
): number => median(ours.map((value, round) => of(value, floor[round]!)))

/** Milliseconds that work takes. */
export const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

type Sides<K extends string, A> = Readonly<Record<K, (round: number) => Promise<A>>>

/** Waits for work, and ends with what undoes its surroundings, however the work ended. */
export const lastly = async <A>(work: Promise<A>, end: () => Promise<unknown>): Promise<A> => {
  try {
    return await work
  } finally {
    await end()
  }
}

/**
 * A/B/B/A…: each round runs every side once, every other one in the opposite order, so that no side always comes after
 * the same other. Round 0 warms up and is dropped.
 */
export const inTurn = async <K extends string, A>(
  rounds: number,
  sides: Sides<K, A>,
  say: (progress: string) => void
): Promise<Readonly<Record<K, ReadonlyArray<A>>>> => {
  const names = Object.keys(sides) as Array<K>
  const results = Object.fromEntries(names.map((name) => [name, [] as Array<A>])) as Record<K, Array<A>>
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? "warming up" : `round ${round} of ${rounds}`)
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const result = await sides[name](round)
      if (round > 0) results[name].push(result)
    }
  }
  return results
}
