import { describe, expect, it } from "vitest"
import { type Line, problemsOf, type Remembered } from "./kit/LineChecker.ts"

const change = (n: number, more: Partial<Remembered> = {}): Remembered => ({
  changeId: `c${n}`,
  path: `${n}.txt`,
  text: `text ${n}`,
  askedMs: 10 * n,
  landed: { atMs: 10 * n + 5, generation: n },
  isRejected: false,
  ...more
})

const changes = [
  change(1),
  change(2),
  // Landed, and its client never heard of it.
  change(3, { landed: null }),
  change(4, { landed: null, isRejected: true })
]

const lineOf = (order: ReadonlyArray<number>): Line => ({
  projectId: "p",
  generations: [0, ...order].map((n, generation) => ({
    generation,
    commit: `commit ${n}`,
    changeId: n === 0 ? null : `c${n}`
  })),
  chain: [0, ...order].map((n) => `commit ${n}`),
  files: new Map(order.map((n) => [`${n}.txt`, `text ${n}`]))
})
const good = lineOf([1, 2, 3])

describe("The checker of a line", () => {
  it("finds nothing in one that is as it must be, also where an answer was lost", () => {
    expect(problemsOf(good, changes)).toEqual([])
    expect(problemsOf(lineOf([1, 2]), changes)).toEqual([])
  })

  it.each<readonly [planted: string, line: Line, found: string]>([
    ["a loss", lineOf([1]), "c2 was acknowledged as generation 2, and is gone"],
    ["a loss of bytes alone", { ...good, files: new Map([...good.files].slice(1)) }, "1.txt of c1 is undefined"],
    ["a wrong byte", { ...good, files: new Map(good.files).set("2.txt", "text 3") }, '2.txt of c2 is "text 3"'],
    ["a doubling", lineOf([1, 2, 3, 2]), "c2 landed as 2 and 4"],
    ["one that landed elsewhere", lineOf([2, 1, 3]), "c1 was acknowledged as generation 1, and is 2"],
    ["a rejected one that is there", lineOf([1, 2, 3, 4]), "c4 was rejected, and is generation 4"],
    ["bytes that nothing explains", { ...good, files: new Map(good.files).set("4.txt", "") }, "which never landed"],
    ["one that nobody asked for", lineOf([1, 2, 3, 7]), "nobody asked for c7, which is generation 4"],
    ["a commit that is not in git", { ...good, chain: good.chain.slice(0, -1) }, "4 generations and 3 commits"],
    ["another commit in git", { ...good, chain: [...good.chain.slice(0, -1), "x"] }, "git's 3th commit is x"]
  ])("finds %s", (_, line, found) => {
    expect(problemsOf(line, changes)).toContainEqual(expect.stringContaining(found))
  })

  it("finds a later one that lies before an earlier one", () => {
    const swapped = [change(1, { landed: { atMs: 15, generation: 2 } }), change(2, { landed: null })]
    expect(problemsOf(lineOf([2, 1]), swapped)).toEqual(["c2 was asked for after c1 had landed, and lies before it"])
    // Asked for at once, either may be first.
    const racing = [change(1, { landed: { atMs: 25, generation: 2 } }), change(2, { landed: null })]
    expect(problemsOf(lineOf([2, 1]), racing)).toEqual([])
  })
})
