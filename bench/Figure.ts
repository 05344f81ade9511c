/** What a benchmark says: a value, the raw floor it was measured beside, and the target it owes. */

export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** What the floor is, in a few words. */
  readonly floor: string
  readonly floorValue: number
  /** Value to floor: the median of the rounds' own ratios, which a slower minute cannot shift. */
  readonly ratio: number
  /** In words; null for a figure that is only told. */
  readonly target: string | null
  readonly ok: boolean | null
}

export interface Measured {
  readonly figures: ReadonlyArray<Figure>
  /** What explains the figures: parts, counts, settings. */
  readonly notes: ReadonlyArray<string>
}

export interface RunOptions {
  /** Measured rounds; one more before them warms up and is dropped. */
  readonly rounds: number
  readonly say: (progress: string) => void
  /** Whether any of these figures is asked for: what makes none that is need not run. */
  readonly wants: (...figures: ReadonlyArray<string>) => boolean
}

export type Bench = (options: RunOptions) => Promise<Measured>

export interface Target {
  readonly text: string
  readonly met: (figure: { readonly value: number; readonly ratio: number }) => boolean
}

export const ratioAtLeast = (bound: number): Target => ({
  text: `ratio ≥ ${bound}`,
  met: ({ ratio }) => ratio >= bound
})
export const ratioAtMost = (bound: number): Target => ({
  text: `ratio ≤ ${bound}`,
  met: ({ ratio }) => ratio <= bound
})
export const valueAtMost = (bound: number, unit: string): Target => ({
  text: `≤ ${bound} ${unit}`,
  met: ({ value }) => value <= bound
})

export const figure = (fields: Omit<Figure, "target" | "ok"> & { readonly target?: Target }): Figure => {
  const { target, ...rest } = fields
  return { ...rest, target: target?.text ?? null, ok: target === undefined ? null : target.met(rest) }
}
