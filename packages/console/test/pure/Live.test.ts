import { describe, expect, it } from "vitest"
import type { Key } from "../../src/api/Keys.ts"
import { coalescing, shownApartMs } from "../../src/live/Coalescing.ts"
import { after, type Connection, later, patienceMs } from "../../src/live/Connection.ts"
import { frameReader } from "../../src/live/Frames.ts"
import { frameOf, split, staleBy, widest } from "../../src/live/Invalidation.ts"
import { pauseMs } from "../../src/live/Stream.ts"

describe("Server-sent events", () => {
  const sent =
    'id: 7\ndata: {"a":1}\n\n: heartbeat\n\nid:8\r\ndata: one\r\ndata: two\r\n\r\nevent: end\n\ndata: three\n\n'
  const events = [
    { id: "7", data: '{"a":1}' },
    { id: "8", data: "one\ntwo" },
    { id: null, data: "three" }
  ]

  it.each([1, 2, 3, 7, 1000])("are the same in pieces of %i characters", (size) => {
    const read = frameReader()
    const pieces = Array.from({ length: Math.ceil(sent.length / size) }, (_, at) =>
      sent.slice(at * size, (at + 1) * size)
    )
    expect(pieces.flatMap((piece) => read(piece))).toEqual(events)
  })

  it("are none before their empty line", () => {
    const read = frameReader()
    expect(read("data: one\n")).toEqual([])
    expect(read("\n")).toEqual([{ id: null, data: "one" }])
  })
})

describe("A change of state", () => {
  const frame = { projectId: "proj_1", kind: "change", id: "chg_1", to: "verifying", changeId: null, sequence: 3 }

  it("makes stale what is of its Project and of itself", () => {
    const read = frameOf(JSON.stringify(frame))
    expect(read).toEqual({ projectId: "proj_1", kind: "change", id: "chg_1", to: "verifying", changeId: null })
    expect(staleBy(read!)).toEqual([["inbox"], ["projects"], ["project", "proj_1"], ["change", "chg_1"], ["candidate"]])
  })

  it("of a Candidate makes its Change stale; every one that is open where it does not say which", () => {
    const moved = { projectId: "proj_1", kind: "candidate", id: "cand_1", to: "" }
    expect(staleBy({ ...moved, changeId: "chg_1" })).toContainEqual(["change", "chg_1"])
    expect(staleBy({ ...moved, changeId: "chg_1" })).not.toContainEqual(["change"])
    expect(staleBy({ ...moved, changeId: null })).toContainEqual(["change"])
  })

  it("of a check makes its Candidate and its Change stale, and no list", () => {
    const read = frameOf(
      JSON.stringify({ projectId: "proj_1", kind: "check", id: "cand_1/test", to: "started", changeId: "chg_1" })
    )
    expect(staleBy(read!)).toEqual([
      ["change", "chg_1"],
      ["candidate", "cand_1"]
    ])
  })

  it.each(["", "null", "7", "[]", '{"kind":"change"}', "{"])("is none in %j", (data) => {
    expect(frameOf(data)).toBeNull()
  })
})

describe("What moves of a Change", () => {
  const frame = { projectId: "proj_1", kind: "candidate", id: "cand_1", to: "verified", changeId: "chg_1" }
  const shows =
    (...shown: ReadonlyArray<string>) =>
    ([, id]: Key) =>
      id !== undefined && shown.includes(id)

  it("is set apart where that is on the screen, with its Candidates, and not where another or a list is", () => {
    expect(split(staleBy(frame), shows("chg_1", "proj_1"))).toEqual({
      shown: [
        ["change", "chg_1"],
        ["candidate", "cand_1"]
      ],
      others: [["inbox"], ["projects"], ["project", "proj_1"]]
    })
    for (const other of ["chg_2", "proj_1", "cand_1"])
      expect(split(staleBy(frame), shows(other))).toEqual({ shown: [], others: staleBy(frame) })
    // Of which Change it is, is not said: none is set apart.
    expect(split(staleBy({ ...frame, changeId: null }), () => true).shown).toEqual([])
  })

  it("comes closely, however many others move beside it", () => {
    let at = 0
    const waits: Array<number> = []
    let run = () => {}
    const clock = { later: (next: () => void, ms: number) => (waits.push(ms), (run = next)), now: () => at }
    const stale = coalescing(
      () => {},
      clock,
      () => shownApartMs
    )
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 50; n++) stale([["change", "chg_1"]], String(n))
      at += waits.at(-1)!
      run()
    }
    expect(waits).toEqual([100, 250, 250])
  })
})

describe("Stale keys", () => {
  it("are told once, by the widest of them", () => {
    const all: ReadonlyArray<Key> = [["change", "a"], ["inbox"], ["change"], ["change", "b"], ["inbox"]]
    expect(widest(all)).toEqual([["inbox"], ["change"]])
    expect(widest([["change"], []])).toEqual([[]])
  })

  it("of a burst are told together, and those that come later in another round", () => {
    const told: Array<ReadonlyArray<Key>> = []
    const rounds: Array<() => void> = []
    const stale = coalescing((keys) => told.push(keys), { later: (run) => rounds.push(run), now: () => 0 })
    for (let time = 0; time < 100; time++) stale([["inbox"], ["change", String(time % 2)]])
    expect([told.length, rounds.length]).toEqual([0, 1])
    rounds[0]!()
    expect(told).toEqual([[["inbox"], ["change", "0"], ["change", "1"]]])
    stale([])
    expect(rounds.length).toBe(1)
    stale([["inbox"]])
    rounds[1]!()
    expect(told[1]).toEqual([["inbox"]])
  })

  it("come as they are from one Change at work, and ever further apart where many move", () => {
    let at = 0
    const waits: Array<number> = []
    let run = () => {}
    const stale = coalescing(() => {}, { later: (next, ms) => (waits.push(ms), (run = next)), now: () => at })
    const round = (...moved: ReadonlyArray<string>) => {
      for (const each of moved) stale([["change", each]], each)
      at += waits.at(-1)!
      run()
    }
    round("a", "a", "a")
    round("a", "a")
    expect(waits).toEqual([100, 100])
    round("a", "b")
    round("a", "b", "c", "d")
    round(...Array.from({ length: 200 }, (_, each) => String(each)))
    round("a")
    expect(waits.slice(2)).toEqual([100, 400, 1600, 3000])
    // Quiet came: what moves next is shown at once.
    at += 3000
    round("a")
    expect(waits.at(-1)).toBe(100)
  })

  it.each([20, 150, 400])("come every 3 seconds at most where another Change moves each %i ms", (pace) => {
    let at = 0
    let rounds = 0
    interface Due {
      readonly run: () => void
      readonly at: number
    }
    const due: Array<Due> = []
    const later = (run: () => void, ms: number) => due.push({ run, at: at + ms })
    const stale = coalescing(() => void (rounds += 1), { later, now: () => at })
    for (let n = 0; n * pace < 30_000; n++) {
      // One round at most waits.
      for (const next of due.splice(0, (due[0]?.at ?? Number.POSITIVE_INFINITY) <= n * pace ? 1 : 0)) {
        at = next.at
        next.run()
      }
      at = n * pace
      stale([["change", String(n)]], String(n))
    }
    // Few at first, until it is seen that they are many.
    expect(rounds).toBeLessThanOrEqual(30_000 / 3000 + 6)
  })
})

describe("The connection", () => {
  const lost = { is: "lost" } as const
  const live: Connection = { is: "live" }

  it("is said to be lost at once, and stale only after a while", () => {
    const reconnecting = after(live, lost, 1000)
    expect(reconnecting).toEqual({ is: "reconnecting", since: 1000 })
    expect(later(reconnecting, 1000 + patienceMs - 1)).toBe(reconnecting)
    const stale = later(reconnecting, 1000 + patienceMs)
    expect(stale).toEqual({ is: "stale", since: 1000 })
    expect(after(stale, lost, 9000)).toBe(stale)
    expect(after(stale, { is: "open", isGap: false }, 9000)).toEqual(live)
  })

  it("is live by an event too: a tab that does not hold the stream may hear that first", () => {
    expect(after({ is: "connecting" }, { is: "event", event: { id: "1", data: "" } }, 0)).toEqual(live)
    expect(after(live, { is: "off" }, 0)).toEqual({ is: "off" })
  })

  it("is tried again after pauses that grow to 10 seconds, spread by half", () => {
    expect([0, 1, 2, 10].map((tries) => pauseMs(tries, 1))).toEqual([500, 1000, 2000, 10_000])
    expect([0, 10].map((tries) => pauseMs(tries, 0))).toEqual([250, 5000])
  })
})
