import { describe, expect, it } from "vitest"
import type { Candidate } from "../../src/candidate/CandidateQuery.ts"
import { ansiPieces, cleaned } from "../../src/evidence/Ansi.ts"
import { begunOf, checksOf, type Evidence, sumOf, tookWords } from "../../src/evidence/Checks.ts"
import { readStart } from "../../src/evidence/Output.ts"

const esc = "\u001b"

describe("What was written for a terminal", () => {
  it("keeps its colours, by the names of the theme's own", () => {
    expect(
      ansiPieces(
        `plain ${esc}[31mred ${esc}[1;92mgreen${esc}[0m ${esc}[38;5;196mpalette ${esc}[38;2;10;20;250mtrue${esc}[m end`
      )
    ).toEqual([
      { text: "plain ", look: "" },
      { text: "red ", look: "ansi-red" },
      { text: "green", look: "ansi-green ansi-bold" },
      { text: " ", look: "" },
      { text: "palette ", look: "ansi-red" },
      { text: "true", look: "ansi-blue" },
      { text: " end", look: "" }
    ])
  })

  it("frames what stands on a colour, or is turned", () => {
    expect(ansiPieces(`${esc}[41;37m FAIL ${esc}[0m${esc}[7mturned${esc}[0m`).map(({ look }) => look)).toEqual([
      "ansi-on-red",
      "ansi-on-white"
    ])
  })

  it("stays text, whatever it says", () => {
    const text = `<img src=x onerror=alert(1)> & <b>`
    expect(ansiPieces(`${esc}[31m${text}`)).toEqual([{ text, look: "ansi-red" }])
  })

  it.each([
    ["a title", `${esc}]0;rm -rf${"\u0007"}shown`, "shown"],
    ["a link", `${esc}]8;;https://evil.example${esc}\\shown${esc}]8;;${esc}\\`, "shown"],
    ["a cursor", `a${esc}[2J${esc}[1;1Hb${esc}[?25lc`, "abc"],
    ["a line that is written over", "10 %\r50 %\r100 %\nnext\r\nlast", "100 %\nnext\nlast"],
    ["controls", "a\u0000b\u0008c\u0007", "abc"],
    ["a sequence that is cut", `end${esc}[3`, "end"]
  ])("loses %s", (_, written, shown) => {
    expect(
      ansiPieces(written)
        .map(({ text }) => text)
        .join("")
    ).toBe(shown)
    expect(cleaned("\ttabs\nstay")).toBe("\ttabs\nstay")
  })
})

const evidence = (given: Partial<Evidence>): Evidence => ({
  id: "evd_1",
  projectId: "proj_1",
  subject: {},
  checkId: "test",
  status: "checked_supported",
  result: "pass",
  commit: "c",
  tree: "t",
  outputKey: "k",
  outputDigest: "d",
  startedAt: "2026-01-01T00:00:00.000Z",
  finishedAt: "2026-01-01T00:00:02.340Z",
  runner: { isolation: "bubblewrap", version: "1", guarantees: [] },
  summary: "",
  attempt: 1,
  ...given
})

const planned = (id: string) =>
  ({ id, kind: "command", title: id, command: "true", required: true, timeoutMs: 1 }) as const

const candidate = (status: string, ids: ReadonlyArray<string>) =>
  ({ status, plan_json: { checks: ids.map(planned) } }) as unknown as Candidate

describe("The checks of a Candidate", () => {
  it("stand in the order of the plan, what it does not name last, and say what is still to come", () => {
    const checks = checksOf(candidate("verifying", ["build", "test", "lint"]), [
      evidence({ id: "evd_2", checkId: "other" }),
      evidence({ id: "evd_3", checkId: "test", result: "fail" }),
      evidence({ id: "evd_1", checkId: "build" })
    ])
    expect(checks.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual([
      "build pass",
      "test fail",
      "lint owed",
      "other pass"
    ])
    expect(sumOf(checks)).toBe("4 checks: 2 passed, 1 failed, 1 to come")
  })

  it("count by their last try, and are flaky when that passed after a failure on one tree", () => {
    const tries = [evidence({ id: "evd_1", result: "fail" }), evidence({ id: "evd_2", attempt: 2, retryOf: "evd_1" })]
    expect(checksOf(candidate("verified", ["test"]), tries)).toMatchObject([{ verdict: "pass", isFlaky: true }])
    const gap = [evidence({ id: "evd_1", result: "gap" }), evidence({ id: "evd_2", attempt: 2 })]
    expect(checksOf(candidate("verified", ["test"]), gap)).toMatchObject([{ verdict: "pass", isFlaky: false }])
  })

  it("never ran where the Candidate ended before them", () => {
    const checks = checksOf(candidate("rejected", ["test"]), [])
    expect(checks.map(({ verdict }) => verdict)).toEqual(["ended"])
    expect(sumOf(checks)).toBe("1 check: 0 passed, 1 never ran")
  })

  it("run from when they were taken up until their row is there, and no longer than their Candidate is checked", () => {
    const step = (checkId: string, to: string, second: number, of = "cand_1") => ({
      kind: "check",
      id: `${of}/${checkId}`,
      from: null,
      to,
      reason: null,
      at: `2026-01-01T00:00:0${second}.000Z`,
      actor: { type: "system", id: "system:verification" } as const,
      commit: "Verification.check",
      sequence: 1
    })
    const begun = begunOf(
      [
        step("lint", "started", 5, "cand_2"),
        step("test", "started", 4),
        step("test", "finished", 3),
        step("build", "finished", 3),
        step("build", "started", 1),
        step("late", "started", 1),
        step("test", "started", 1)
      ],
      "cand_1"
    )
    expect([...begun]).toEqual([
      ["test", "2026-01-01T00:00:04.000Z"],
      ["late", "2026-01-01T00:00:01.000Z"]
    ])
    const ids = ["build", "test", "lint", "late"]
    const rows = [
      evidence({ id: "evd_1", checkId: "build" }),
      evidence({ id: "evd_2", result: "fail" }),
      evidence({ id: "evd_3", checkId: "late" })
    ]
    const told = (status: string) => checksOf(candidate(status, ids), rows, begun).map(({ verdict }) => verdict)
    expect(told("verifying")).toEqual(["pass", "running", "owed", "pass"])
    expect(told("stale")).toEqual(["pass", "fail", "ended", "pass"])
    expect(sumOf(checksOf(candidate("verifying", ids), rows, begun))).toBe("4 checks: 2 passed, 1 running, 1 to come")
  })

  it.each([
    ["2026-01-01T00:00:00.400Z", "0.4 s"],
    ["2026-01-01T00:02:05.000Z", "2 min 5 s"],
    ["2025-12-31T23:59:59.000Z", "0.0 s"]
  ])("that ended at %s took %s", (finishedAt, words) => {
    expect(tookWords({ startedAt: "2026-01-01T00:00:00.000Z", finishedAt })).toBe(words)
  })
})

describe("An output", () => {
  const body = (pieces: ReadonlyArray<string>) => {
    const given = { cancelled: false, read: 0 }
    const stream = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          const piece = pieces[given.read++]
          if (piece === undefined) controller.close()
          else controller.enqueue(new TextEncoder().encode(piece))
        },
        cancel: () => void (given.cancelled = true)
      },
      { highWaterMark: 0 }
    )
    return { given, stream }
  }

  it("is read whole when it is short", async () => {
    expect(await readStart(body(["ab", "cd"]).stream, 4)).toEqual({ text: "abcd", isWhole: true })
  })

  it("is given up where it is longer than a page shows, and no more of it is asked for", async () => {
    const { given, stream } = body(["ab", "cd", "ef", "gh"])
    expect(await readStart(stream, 3)).toEqual({ text: "abc", isWhole: false })
    expect(given).toEqual({ cancelled: true, read: 2 })
  })
})
