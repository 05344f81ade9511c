/** Walks every reachable state of a model, breadth first. A state is a plain value. */

/** What is walked: where it begins, and what can happen in each state. */
export interface Model<S> {
  readonly initial: S
  /** All that can happen next. */
  readonly next: (state: S) => ReadonlyArray<{ readonly label: string; readonly state: S }>
  /** Equal states give equal text. */
  readonly key: (state: S) => string
  /** What is wrong with a state; null when nothing is. */
  readonly broken: (state: S) => string | null
  /** What is wrong with a state in which nothing can happen any more. */
  readonly brokenEnd?: (state: S) => string | null
}

/** What the walk has seen. */
export interface Exploration {
  readonly states: number
  readonly steps: number
  /** False when the bound was reached before every state was seen. */
  readonly complete: boolean
  /** The shortest way to a broken state. */
  readonly violation: { readonly problem: string; readonly path: ReadonlyArray<string> } | null
}

interface Seen {
  readonly from: string | null
  readonly label: string
}

const pathTo = (seen: ReadonlyMap<string, Seen>, key: string): ReadonlyArray<string> => {
  const path: Array<string> = []
  for (let at: string | null = key; at !== null;) {
    const step: Seen | undefined = seen.get(at)
    if (step === undefined || step.from === null) break
    path.unshift(step.label)
    at = step.from
  }
  return path
}

/** Stops at the first broken state, or when `maxStates` were seen. */
export const explore = <S>(model: Model<S>, maxStates: number): Exploration => {
  const first = model.key(model.initial)
  const seen = new Map<string, Seen>([[first, { from: null, label: "" }]])
  let frontier: Array<readonly [string, S]> = [[first, model.initial]]
  let steps = 0
  while (frontier.length > 0) {
    const nextFrontier: Array<readonly [string, S]> = []
    for (const [key, state] of frontier) {
      const options = model.next(state)
      const problem = model.broken(state) ?? (options.length === 0 ? (model.brokenEnd?.(state) ?? null) : null)
      if (problem !== null)
        return { states: seen.size, steps, complete: false, violation: { problem, path: pathTo(seen, key) } }
      for (const option of options) {
        steps++
        const optionKey = model.key(option.state)
        if (seen.has(optionKey)) continue
        if (seen.size >= maxStates) return { states: seen.size, steps, complete: false, violation: null }
        seen.set(optionKey, { from: key, label: option.label })
        nextFrontier.push([optionKey, option.state])
      }
    }
    frontier = nextFrontier
  }
  return { states: seen.size, steps, complete: true, violation: null }
}
