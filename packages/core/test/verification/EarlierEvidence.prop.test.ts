import { rounds, seed } from "@pawl/testing/Depth"
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Candidate } from "@pawl/core/model/Candidate"
import type { Evidence } from "@pawl/core/model/Evidence"
import { Repositories } from "@pawl/core/project/Repositories"
import type { Composed } from "@pawl/core/verification/Checks"
import { inputsDigestOf } from "@pawl/core/verification/CheckDigest"
import { repeatable } from "@pawl/core/verification/EarlierEvidence"
import { run } from "../kit/MemoryPawl.ts"

const numRuns = rounds({ quick: 200, deep: 5_000 })
const digits = (n: number, length: number) => String(n).repeat(length)
const now = "2026-06-02T00:00:00.000Z"
const few = fc.constantFrom(1, 2)
const mostly = fc.constantFrom(1, 1, 1, 2)

/** Rows that differ in few ways, so that some may be repeated and most may not. */
const rows = fc.array(
  fc
    .record({
      check: mostly,
      tree: mostly,
      asked: mostly,
      ran: mostly,
      saw: mostly,
      result: fc.constantFrom("pass", "pass", "pass", "pass", "gap", "fail"),
      ageHours: fc.constantFrom(1, 23, 24, 25),
      closed: fc.constantFrom(true, true, false),
      reuses: fc.constantFrom(false, false, true),
      waived: fc.constantFrom(false, false, true)
    })
    .map((each) => {
      const at = new Date(Date.parse(now) - each.ageHours * 3_600_000).toISOString()
      const row = {
        id: `evd_${digits(0, 26)}`,
        projectId: `proj_00000000-0000-4000-8000-${digits(0, 12)}`,
        subject: { candidateId: `cand_${digits(0, 24)}` },
        checkId: each.check === 1 ? "test" : "lint",
        status:
          each.result === "pass" ? "checked_supported" : each.result === "gap" ? "not_checked" : "checked_unsupported",
        result: each.result,
        commit: digits(0, 40),
        tree: digits(each.tree, 40),
        outputKey: "evidence/one",
        outputDigest: digits(1, 64),
        startedAt: at,
        finishedAt: at,
        runner: {
          isolation: "memory",
          version: "1",
          guarantees: each.closed ? ["clean-environment", "network-denied"] : ["network-denied"]
        },
        summary: "",
        checkDigest: digits(each.asked, 64),
        runnerDigest: digits(each.ran, 64),
        inputsDigest: digits(each.saw, 64),
        attempt: 1,
        ...(each.reuses ? { reuses: `evd_${digits(9, 26)}` } : {}),
        ...(each.waived ? { waived: { reason: "", until: now } } : {})
      } as unknown as Evidence
      return { each, row }
    }),
  { minLength: 1, maxLength: 12 }
)

const wantedOf = (reuse: "tree" | "inputs") => ({
  check: { id: "test", kind: "command", title: "", required: true, timeoutMs: 1 } as const,
  composed: {
    candidate: { id: `cand_${digits(1, 24)}`, projectId: `proj_00000000-0000-4000-8000-${digits(0, 12)}` } as Candidate,
    commit: digits(1, 40),
    tree: digits(1, 40)
  } as Composed,
  reuse,
  checkDigest: digits(1, 64),
  runner: { digest: digits(1, 64), guarantees: ["network-denied"] },
  ...(reuse === "inputs" ? { inputsDigest: digits(1, 64) } : {}),
  now
})

describe("Evidence that may be repeated", () => {
  it.each(["tree", "inputs"] as const)(
    "of the same %s is the newest that holds every condition, and none where the check failed on it",
    (reuse) => {
      fc.assert(
        fc.property(rows, (found) => {
          const isSame = ({ each }: (typeof found)[number]) =>
            each.check === 1 && (each.tree === 1 || (reuse === "inputs" && each.saw === 1))
          const failed = found.some((one) => isSame(one) && one.each.result === "fail")
          const holds = ({ each }: (typeof found)[number]) =>
            [each.asked, each.ran].every((digest) => digest === 1) &&
            each.result === "pass" &&
            each.ageHours <= 24 &&
            each.closed &&
            !each.reuses &&
            !each.waived
          const promised = failed ? undefined : found.findLast((one) => isSame(one) && holds(one))
          const all = found.map(({ row }) => row)
          expect(repeatable(wantedOf(reuse), all)).toBe(promised?.row ?? null)
        }),
        { numRuns, seed }
      )
    }
  )
})

interface File {
  readonly path: string
  readonly id: string
  readonly executable: boolean
}

const trees = fc.uniqueArray(
  fc.record({
    path: fc.constantFrom("src/a.js", "src/b/c.js", "test/a.js", "README.md", "result.txt"),
    id: few.map((n) => digits(n, 40)),
    executable: fc.boolean()
  }),
  { selector: ({ path }) => path }
)

const digestOf = (files: ReadonlyArray<File>) =>
  Effect.gen(function* () {
    const entries = files.map((file) => ({ ...file, type: "file" as const, size: 1 }))
    const listing = { ...(yield* Repositories), list: () => Effect.succeed(entries) }
    const { candidate, tree } = wantedOf("inputs").composed
    const check = { ...wantedOf("inputs").check, inputs: ["src/**", "result.txt"] }
    const inputs = { check, checkDigest: digits(1, 64), runnerDigest: digits(1, 64) }
    return yield* Effect.provideService(inputsDigestOf(candidate, tree, inputs), Repositories, listing)
  })

describe("The digest of declared inputs", () => {
  it("is the same exactly where path, mode and blob of each of them are, in whatever order they are listed", () =>
    fc.assert(
      fc.asyncProperty(trees, trees, async (one, other) => {
        const seen = (files: ReadonlyArray<File>) =>
          files
            .filter(({ path }) => path.startsWith("src/") || path === "result.txt")
            .map(({ executable, id, path }) => `${path} ${id} ${executable}`)
            .sort()
            .join()
        const [first, second] = await Promise.all([run(digestOf(one)), run(digestOf(other))])
        expect(first === second).toBe(seen(one) === seen(other))
        expect(await run(digestOf(one.toReversed()))).toBe(first)
      }),
      { numRuns: rounds({ quick: 15, deep: 300 }), seed }
    ))
})
