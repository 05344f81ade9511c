/** What the history tells of checks while they run, for whoever watches. */
import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import * as MemorySandbox from "@pawl/adapters-memory/MemorySandbox"
import * as Policies from "@pawl/core/approval/Policies"
import * as Promotions from "@pawl/core/promotion/Promotions"
import type { Commit } from "@pawl/core/ledger/Commit"
import { History } from "@pawl/core/ledger/History"
import { Ledger } from "@pawl/core/ledger/Ledger"
import type { PolicyFields } from "@pawl/core/model/Policy"
import { type Around, wrap } from "@pawl/testing/tools/PortWrap"
import { inClosed, reusing } from "../kit/ClosedSandbox.ts"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, newProject } from "../kit/Scenes.ts"

const projectWith = (policy: Partial<PolicyFields>) =>
  Effect.tap(newProject(), ({ id }) => Policies.change(person, id, policy))

/** Each step of the checks of a Change as the history tells it, oldest first. */
const told = (changeId: string) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* History).ofChange(changeId, {})
    return items.filter(({ kind }) => kind === "check")
  })
const words = ({ from, id, reason, to }: { from: string | null; id: string; reason: string | null; to: string }) =>
  `${id.split("/")[1]} ${from}>${to} ${reason}`

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

describe("The history of a Change", () => {
  it("tells of each check that it is taken up before its command runs, and its end with its evidence, in one commit", () =>
    run(
      Effect.gen(function* () {
        const seen: Array<ReadonlyArray<string>> = []
        const world = yield* Effect.context<History>()
        const history = () => Effect.provide(told(changes[0] ?? ""), world)
        const changes: Array<string> = []
        const sandbox = MemorySandbox.layerMemory(() =>
          Effect.map(Effect.orDie(history()), (items) => {
            seen.push(items.map(words))
            return { outcome: { _tag: "Exited" as const, code: 0 } }
          })
        )
        const commits: Array<Commit> = []
        const writing: Around = ({ args }, effect) => {
          const commit = args[0] as Commit
          commits.push(commit)
          for (const write of commit.writes ?? [])
            if (write._tag === "Insert" && write.kind === "change") changes.push(write.record.id)
          return effect
        }
        const { id: projectId } = yield* projectWith({})
        const candidate = yield* candidateOf(projectId, "r1", { "a.txt": "a" }).pipe(
          Effect.provideService(Ledger, wrap(Ledger, yield* Ledger, writing)),
          Effect.provide(sandbox)
        )
        expect(seen).toEqual([expect.arrayContaining(["test null>started null"])])
        expect(seen.flat().some((each) => each.startsWith("test started>finished"))).toBe(false)
        const all = yield* told(candidate.changeId)
        expect(
          all.every(({ actor, id }) => actor.id === "system:verification" && id.startsWith(`${candidate.id}/`))
        ).toBe(true)
        expect(all.map(words).toSorted()).toEqual([
          "build null>started null",
          "build started>finished pass",
          "test null>started null",
          "test started>finished pass"
        ])
        for (const { marks = [], writes = [] } of commits)
          if (marks.some(({ to }) => to === "finished")) expect(writes.map((write) => write.kind)).toContain("evidence")
      })
    ))

  it("tells of what is known already that it ended, and never that it began", () =>
    inClosed(() =>
      Effect.gen(function* () {
        const { id: projectId } = yield* reusing("tree")
        yield* candidateOf(projectId, "r1", { "a.txt": "a" })
        const second = yield* candidateOf(projectId, "r2", { "a.txt": "a" })
        const all = (yield* told(second.changeId)).map(words)
        expect(all).toContain("test null>finished pass")
        expect(all).not.toContain("test null>started null")
      })
    ))

  it("tells of a retry that it begins where the failure ended", () =>
    run(
      Effect.gen(function* () {
        const exits = [1]
        const sandbox = MemorySandbox.layerMemory(() =>
          Effect.sync(() => ({ outcome: { _tag: "Exited" as const, code: exits.shift() ?? 0 } }))
        )
        const { id: projectId } = yield* projectWith({ flakeRetries: 1 })
        yield* Effect.gen(function* () {
          const first = yield* candidateOf(projectId, "r1", { "a.txt": "a" })
          expect((yield* told(first.changeId)).map(words).filter((each) => each.startsWith("test"))).toEqual([
            "test null>started null",
            "test started>finished fail",
            "test finished>started once more: it failed",
            "test started>finished pass"
          ])
        }).pipe(Effect.provide(sandbox))
      })
    ))

  it("costs a promotion nothing: it writes what it wrote before there were marks", () =>
    run(
      Effect.gen(function* () {
        const commits: Array<Commit> = []
        const writing: Around = ({ args }, effect) => {
          commits.push(args[0] as Commit)
          return effect
        }
        const { id: projectId } = yield* projectWith({})
        const candidate = yield* candidateOf(projectId, "r1", { "a.txt": "a" })
        yield* Effect.gen(function* () {
          yield* Promotions.promote(person, candidate.id)
          yield* settle
        }).pipe(Effect.provideService(Ledger, wrap(Ledger, yield* Ledger, writing)))
        expect(commits.map(({ name }) => name)).toContain("Promotions.swap")
        expect(commits.flatMap(({ marks = [] }) => marks)).toEqual([])
      })
    ))
})
