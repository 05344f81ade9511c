import { describe, expect, it } from "vitest"
import { consequenceOf } from "../../src/app/Consequence.ts"
import { channelsOf, filtered, type LogLine, type LogRow, rowsMost, withLines } from "../../src/app/LogWindow.ts"
import { crumbsOf, folderOf, found, isFile, lineIn } from "../../src/code/Listing.ts"
import { axisOf, barsOf, type Ran } from "../../src/lane/Axis.ts"
import { fallenOf, refutedOf } from "../../src/lane/Refuted.ts"
import { outcomeWords } from "../../src/lane/Outcome.ts"
import { expectedWords } from "../../src/lane/WhyWords.ts"
import { bytes, duration, money } from "../../src/ui/Amounts.ts"
import { moreWords, nextOf } from "../../src/overview/NextWords.ts"

const line = (sequence: number, over: Partial<LogLine> = {}): LogLine =>
  ({ sequence, level: "log", source: "console", channel: "production", text: `line ${sequence}`, ...over }) as LogLine

const told = (rows: ReadonlyArray<LogRow>) => rows.map((row) => (row.is === "gap" ? -row.missing : row.line.sequence))

describe("The lines of an app", () => {
  it("stand in order, none twice, and what is missing between two is said", () => {
    const first = withLines([], [line(5), line(6)])
    expect(told(withLines(first, [line(6), line(7), line(10)]))).toEqual([5, 6, 7, -2, 10])
    expect(told(withLines(withLines(first, [line(9)]), [line(10)]))).toEqual([5, 6, -2, 9, 10])
  })

  it("are a thousand at most: the oldest go", () => {
    const many = withLines(
      [],
      Array.from({ length: rowsMost + 50 }, (_, n) => line(n + 1))
    )
    expect([many.length, told(many)[0], told(many).at(-1)]).toEqual([rowsMost, 51, rowsMost + 50])
    expect(told(withLines(many, [line(rowsMost + 51)])).at(-1)).toBe(rowsMost + 51)
  })

  it("are found by words, level and channel; gaps stay", () => {
    const rows = withLines(
      [],
      [line(1, { text: "Cart LOST", level: "error" }), line(2, { channel: "preview:abc" }), line(9, { level: "warn" })]
    )
    const all = { text: "", level: "", channel: "" } as const
    expect(told(filtered(rows, all))).toEqual([1, 2, -6, 9])
    expect(told(filtered(rows, { ...all, text: " cart " }))).toEqual([1, -6])
    expect(told(filtered(rows, { ...all, level: "warn" }))).toEqual([1, -6, 9])
    expect(told(filtered(rows, { ...all, channel: "preview:abc" }))).toEqual([2, -6])
    expect(channelsOf(withLines([], [line(1, { channel: "preview:abc" }), line(2)]))).toEqual([
      "production",
      "preview:abc"
    ])
  })
})

describe("A tree of files", () => {
  const file = (path: string, size = 10) => ({ path, size, type: "file" as const })
  const entries = [
    { path: "src", size: 0, type: "directory" as const },
    file("src/index.js"),
    file("src/a/deep.js", 5),
    file("srcs.txt"),
    file("README.md")
  ]

  it("is walked by folders, each with what lies right in it", () => {
    expect(folderOf(entries, "").map(({ inside, name, size }) => [name, inside, size])).toEqual([
      ["src", 2, 15],
      ["README.md", 1, 10],
      ["srcs.txt", 1, 10]
    ])
    expect(folderOf(entries, "src").map(({ path }) => path)).toEqual(["src/a", "src/index.js"])
    expect(folderOf(entries, "nowhere")).toEqual([])
    expect([isFile(entries, "src/index.js"), isFile(entries, "src")]).toEqual([true, false])
  })

  it("is searched by letters of whole paths, and leads to lines", () => {
    expect(found(entries, "SRC/", 10).map(({ path }) => path)).toEqual(["src/index.js", "src/a/deep.js"])
    expect(found(entries, "", 2).length).toBe(2)
    expect(crumbsOf("a/b/c").map(({ path }) => path)).toEqual(["a", "a/b", "a/b/c"])
    expect([lineIn("#L12"), lineIn("#L"), lineIn(""), lineIn("#main")]).toEqual([12, null, null, null])
  })
})

describe("Checks on an axis of time", () => {
  const at = (second: number) => new Date(second * 1000).toISOString()
  const ran = (from: number, to: number | null): Ran => ({
    name: "test",
    result: to === null ? "running" : "pass",
    from: at(from),
    to: to === null ? null : at(to)
  })

  it("lie where they ran, from the first beginning to the last end or to now", () => {
    const all = [ran(0, 5), ran(5, 10), ran(10, null)]
    const axis = axisOf(all, 20_000)
    expect([axis.from, axis.to, axis.cuts]).toEqual([0, 20_000, []])
    expect(barsOf(all, axis)).toMatchObject([
      { start: 0, width: 25, tookMs: 5000 },
      { start: 25, width: 25 },
      { start: 50, width: 50, tookMs: 10_000 }
    ])
  })

  it("of several rows lie on the axis of all: what ran at the same time stands below each other", () => {
    const [one, other] = [[ran(0, 10)], [ran(5, 10), ran(10, 20)]]
    const axis = axisOf([...one, ...other], 0)
    expect(barsOf(one, axis)).toMatchObject([{ start: 0, width: 50 }])
    expect(barsOf(other, axis)).toMatchObject([
      { start: 25, width: 25 },
      { start: 50, width: 50 }
    ])
  })

  it("are not crushed by an hour in which none ran: it is cut, and where is told", () => {
    const all = [ran(0, 10), ran(3600, 3610)]
    const axis = axisOf(all, 0)
    const [first, second] = barsOf(all, axis)
    expect(first!.width).toBeGreaterThan(40)
    expect(second!.width).toBeCloseTo(first!.width)
    expect(second!.start + second!.width).toBeCloseTo(100)
    expect(axis.cuts).toHaveLength(1)
    expect(axis.cuts[0]).toBeGreaterThan(first!.width)
    expect(axis.cuts[0]).toBeLessThan(second!.start)
  })

  it("that run by a clock that is behind the server's have begun all the same", () => {
    const all = [ran(100, null)]
    expect(barsOf(all, axisOf(all, 0))).toMatchObject([{ tookMs: 0 }])
  })

  it("are never too short to be seen, and never outside", () => {
    const all = [ran(0, 1000), ran(1000, 1000), ran(5, 5)]
    for (const { start, width } of barsOf(all, axisOf(all, 0))) {
      expect(width).toBeGreaterThan(0.5)
      expect(start + width).toBeLessThanOrEqual(100)
    }
  })
})

describe("A Candidate of the lane that came to nothing", () => {
  const made = (n: number, status: string, updatedAt: string, reason: string | null = null) =>
    ({ id: `cand_${n}`, status, base_generation: n, createdAt: `made ${n}`, updatedAt, reason }) as never
  const entry = { candidateId: "cand_3", enteredAt: "5" } as never
  const all = [
    made(0, "stale", "4"),
    made(1, "stale", "6", "S2 came"),
    made(2, "promoted", "7"),
    made(3, "rejected", "8")
  ]

  it("is a bar from when it was made to when it fell, with what refuted it in the words of the lane", () => {
    const [prediction] = [{ candidateId: "cand_1", ahead: null, generation: 4, reason: "Sell cards left", at: "6" }]
    expect(refutedOf(entry, all, [prediction] as never)).toEqual([
      { name: "as S4", result: "refuted", from: "made 1", to: "6", reason: "Sell cards left" }
    ])
  })

  it("is known by itself when its entry has ended, but neither the newest nor those from before it entered", () => {
    expect(fallenOf(entry, all).map(({ id }) => id)).toEqual(["cand_1"])
    expect(refutedOf(entry, all, null)).toMatchObject([{ name: "as S2", to: "6", reason: "S2 came" }])
  })
})

describe("Words of a Project", () => {
  it("tell amounts as people read them", () => {
    expect([money(0), money(1.239), money(0.0042)]).toEqual(["$0.00", "$1.24", "$0.004"])
    expect([bytes(0), bytes(1023), bytes(1536), bytes(64 * 1024), bytes(5 * 1024 ** 3)]).toEqual([
      "0 B",
      "1023 B",
      "1.5 KB",
      "64.0 KB",
      "5.0 GB"
    ])
    expect([duration(850), duration(1200), duration(12_000), duration(185_000), duration(7_800_000)]).toEqual([
      "850 ms",
      "1.2 s",
      "12 s",
      "3 min 5 s",
      "2 h 10 min"
    ])
  })

  it("tell how much is not shown, and what comes next: the reason, where there is one", () => {
    expect([moreWords(2, false), moreWords(94, true)]).toEqual(["and 2 more", "and more than 94 more"])
    expect(nextOf({ status: "created", reason: null })).toContain("Send a ChangeSet")
    expect(nextOf({ status: "running", reason: "stopped by usr_1" })).toBe("stopped by usr_1")
  })

  it("tell when an entry is likely to land, and never that it lands in no time", () => {
    expect(expectedWords({ medianMs: 12_000, p95Ms: 40_000 })).toBe(
      "Likely to land in 12 s; in 19 of 20 cases in 40 s."
    )
    expect(expectedWords({ medianMs: 0, p95Ms: 40_000 })).toMatch(/^It should have landed by now, .* in 40 s\.$/)
    expect(expectedWords({ medianMs: 0, p95Ms: 0 })).toMatch(/^It should have landed by now: [^0-9]*$/)
  })

  it("tell what became of an entry, and what is lost with a dead letter", () => {
    expect(outcomeWords({ code: "landed", generation: 4 })).toBe("It landed as S4.")
    expect(outcomeWords({ code: "withdrawn" })).toBe("Somebody took it out.")
    expect(consequenceOf("agent.wake")).toContain("stays blocked")
    expect(consequenceOf("packs.sweep")).toContain("nobody tries it again")
  })
})
