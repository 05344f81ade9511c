/** How long the code of each symbol is to be, so that what occurs often is short (Huffman), and none is too long. */

interface Node {
  readonly weight: number
  /** How many of its leaves lie how deep is told from here. */
  readonly below: readonly [Node, Node] | null
}

/** How deep each leaf of the tree lies, deepest last: as many as there are weights, which are sorted. */
const depthsOf = (weights: ReadonlyArray<number>): ReadonlyArray<number> => {
  const leaves: ReadonlyArray<Node> = weights.map((weight) => ({ weight, below: null }))
  const made: Array<Node> = []
  let [leaf, inner] = [0, 0]
  const least = (): Node => {
    const [one, other] = [leaves[leaf], made[inner]]
    if (other === undefined || (one !== undefined && one.weight <= other.weight)) {
      leaf++
      return one!
    }
    inner++
    return other
  }
  while (made.length < weights.length - 1) {
    const below = [least(), least()] as const
    made.push({ weight: below[0].weight + below[1].weight, below })
  }
  const depths: Array<number> = []
  const open: Array<readonly [Node, number]> = [[made.at(-1)!, 0]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [{ below }, depth] = next
    if (below === null) depths.push(depth)
    else open.push([below[0], depth + 1], [below[1], depth + 1])
  }
  return depths
}

/** How many codes have each length, none longer than `max`. */
const countsWithin = (depths: ReadonlyArray<number>, max: number): Uint16Array => {
  const counts = new Uint16Array(max + 1)
  for (const depth of depths) {
    const length = Math.min(depth, max)
    counts[length] = counts[length]! + 1
  }
  // Of all codes of the longest length there are, each takes as many as its own is shorter.
  let taken = 0
  for (let length = 1; length <= max; length++) taken += counts[length]! * 2 ** (max - length)
  // What is too much is made room for: one code of the longest moves beside the next shorter one, which both grow by a bit.
  for (; taken > 2 ** max; taken--) {
    let shorter = max - 1
    while (counts[shorter] === 0) shorter--
    counts[shorter] = counts[shorter]! - 1
    counts[shorter + 1] = counts[shorter + 1]! + 2
    counts[max] = counts[max]! - 1
  }
  return counts
}

/** The length of each symbol's code by how often it occurs; 0 for one that does not. At least two have one. */
export const codeLengths = (times: Uint32Array, max: number): Uint8Array => {
  const weights = Array.from(times)
  const used = weights.flatMap((weight, symbol) => (weight > 0 ? [symbol] : []))
  // What reads it may not know a code alone.
  for (let symbol = 0; used.length < 2; symbol++) if (weights[symbol] === 0) used.push(symbol)
  const rising = used.toSorted((one, other) => weights[one]! - weights[other]! || one - other)
  const counts = countsWithin(depthsOf(rising.map((symbol) => weights[symbol]!)), max)
  const bits = new Uint8Array(times.length)
  let at = 0
  for (let length = max; length > 0; length--)
    for (let left = counts[length]!; left > 0; left--) bits[rising[at++]!] = length
  return bits
}
