import * as FastCheck from "fast-check"
import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import { type LaneStep, together } from "@pawl/core/lane/LanePlan"
import type { Commit } from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { commandKinds } from "@pawl/core/model/Command"
import { Limits } from "@pawl/core/primitives/Limits"
import { Commands } from "@pawl/core/work/Commands"
import { execute } from "@pawl/core/work/Processes"
import { handlers } from "@pawl/core/worker/Handlers"
import { rounds, seed } from "@pawl/testing/Depth"
import { type Around, wrap } from "@pawl/testing/tools/PortWrap"
import { clean, laned, outcome, racing } from "../kit/LaneScenes.ts"
import { answers, page, run } from "../kit/MemoryPawl.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

const kinds = commandKinds.filter((kind) => handlers[kind] !== undefined)

const small = ["Pass", "Aside", "Land"] as const
const tags = [...small, "Compose", "Leave", "Return", "Replan", "Doubt", "Reject", "Hold", "Refute"] as const
const stepOf = (tag: LaneStep["_tag"]) => ({ _tag: tag }) as LaneStep
const isSmall = ({ _tag }: LaneStep): boolean => small.some((each) => each === _tag)

describe("Steps that are taken together", () => {
  it("are those of the plan in turn, and one that reads what others write is never behind one that writes it", () => {
    const plans = FastCheck.array(FastCheck.constantFrom(...tags), { maxLength: 12 })
    FastCheck.assert(
      FastCheck.property(plans, (drawn) => {
        const steps = drawn.map(stepOf)
        const groups = together(steps)
        expect(groups.flat()).toEqual(steps)
        for (const group of groups) {
          expect(group.slice(0, -1).every(isSmall)).toBe(true)
          const last = group.at(-1)!
          expect(group.length === 1 || isSmall(last) || last._tag === "Compose").toBe(true)
        }
      }),
      { numRuns: rounds({ quick: 200, deep: 2000 }), seed }
    )
  })

  it("are one commit of what is verified, what lands and what is made next", () =>
    run(
      Effect.gen(function* () {
        const project = yield* laned
        yield* racing(project.id, clean(Limits.laneDepth + 1))
        const commits: Array<ReadonlyArray<string>> = []
        const keep: Around = ({ args }, effect) =>
          Effect.tap(effect, () => {
            const { commands = [], name, writes = [] } = args[0] as Commit
            return Effect.sync(() => commits.push([name, ...[...writes, ...commands].map(({ kind }) => kind)]))
          })
        const ledger = wrap(Ledger, yield* Ledger, keep)
        const stepping = handlers["lane.step"]!
        const ours = {
          ...handlers,
          "lane.step": (command: Parameters<typeof stepping>[0]) =>
            Effect.provideService(stepping(command), Ledger, ledger)
        }
        const commands = yield* Commands
        const asked = { worker: "test", kinds, limit: 1, leaseMs: Limits.commandLeaseMs }
        for (let due = yield* commands.claim(asked); due.length > 0; due = yield* commands.claim(asked))
          for (const each of due) yield* execute(each, ours)
        expect((yield* outcome(project.id)).generation).toBe(Limits.laneDepth + 1)
        const writes = ["lane", "laneEntry", "change", "candidate", "laneEntry"]
        expect(commits).toContainEqual(["Lane.steps", ...writes, "candidate.promote", "candidate.create"])
        expect(commits).toContainEqual(["Lane.steps", "lane", "laneEntry", "candidate.promote"])
        expect(commits.filter(([name]) => name === "Lane.pass" || name === "Lane.land")).toEqual([])
      })
    ))
})
