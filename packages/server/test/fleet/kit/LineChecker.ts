/**
 * What must be so of a Project's line, whatever failed meanwhile. No search for an order is needed: each Change is there
 * once, and the line is the order.
 */

/** What a client knows of a Change of its own. Times are of the client's one steady clock. */
export interface Remembered {
  readonly changeId: string
  /** The file that it adds, which no other Change has. */
  readonly path: string
  readonly text: string
  /** When it was first asked that it land. */
  readonly askedMs: number
  /** When it was first seen to have landed, and as which generation; null where that was never seen. */
  readonly landed: { readonly atMs: number; readonly generation: number } | null
  /** Whether it was said to be rejected. */
  readonly isRejected: boolean
}

/** A line as a machine that never saw it before has it. */
export interface Line {
  readonly projectId: string
  /** From S0 on. */
  readonly generations: ReadonlyArray<{
    readonly generation: number
    readonly commit: string
    readonly changeId: string | null
  }>
  /** The first parents of git's main, the oldest first. */
  readonly chain: ReadonlyArray<string>
  /** Files of main, by path. */
  readonly files: ReadonlyMap<string, string>
}

const generationsOf = (line: Line, changeId: string): ReadonlyArray<number> =>
  line.generations.filter((each) => each.changeId === changeId).map(({ generation }) => generation)

/** Each is acknowledged, refused, or neither; what was acknowledged is there once, where it was said to be. */
const ofOne = (line: Line, { changeId, isRejected, landed, path, text }: Remembered): ReadonlyArray<string> => {
  const places = generationsOf(line, changeId)
  const found = line.files.get(path)
  const problems: Array<string> = []
  if (places.length > 1) problems.push(`${changeId} landed as ${places.join(" and ")}`)
  if (landed !== null && !places.includes(landed.generation))
    problems.push(`${changeId} was acknowledged as generation ${landed.generation}, and is ${places.join() || "gone"}`)
  if (isRejected && places.length > 0) problems.push(`${changeId} was rejected, and is generation ${places.join()}`)
  if (places.length > 0 && found !== text) problems.push(`${path} of ${changeId} is ${JSON.stringify(found)}`)
  if (places.length === 0 && found !== undefined) problems.push(`${path} of ${changeId} is there, which never landed`)
  return problems
}

/** What had landed before another was asked for lies before it. */
const inRealTime = (line: Line, changes: ReadonlyArray<Remembered>): ReadonlyArray<string> =>
  changes.flatMap((earlier) =>
    changes.flatMap((later) => {
      if (earlier.landed === null || earlier.landed.atMs >= later.askedMs) return []
      const [place] = generationsOf(line, later.changeId)
      return place === undefined || place > earlier.landed.generation
        ? []
        : [`${later.changeId} was asked for after ${earlier.changeId} had landed, and lies before it`]
    })
  )

const sameChain = ({ chain, generations, projectId }: Line): ReadonlyArray<string> => {
  const problems = generations.flatMap(({ commit, generation }, index) =>
    generation === index && chain[index] === commit
      ? []
      : [`${projectId}: generation ${generation} is ${commit}, and git's ${index}th commit is ${chain[index]}`]
  )
  return generations.length === chain.length
    ? problems
    : [...problems, `${projectId}: ${generations.length} generations and ${chain.length} commits`]
}

const nobodyElse = (line: Line, changes: ReadonlyArray<Remembered>): ReadonlyArray<string> =>
  line.generations.flatMap(({ changeId, generation }) =>
    generation === 0 || changes.some((each) => each.changeId === changeId)
      ? []
      : [`${line.projectId}: nobody asked for ${changeId}, which is generation ${generation}`]
  )

/** All that is wrong with a line, one sentence each; nothing, when it is as it must be. */
export const problemsOf = (line: Line, changes: ReadonlyArray<Remembered>): ReadonlyArray<string> => [
  ...sameChain(line),
  ...changes.flatMap((each) => ofOne(line, each)),
  ...inRealTime(line, changes),
  ...nobodyElse(line, changes)
]
