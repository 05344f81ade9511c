/** A journal that this version cannot read: what another version wrote, or a damaged row. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { demand } from "@pawl/core/ledger/Decision"
import { Commands } from "@pawl/core/work/Commands"
import { Journal } from "@pawl/core/work/Journal"
import * as DeadLetters from "@pawl/core/worker/DeadLetters"
import { Limits } from "@pawl/core/primitives/Limits"
import { person, run, settle } from "../kit/MemoryPawl.ts"
import { askedFor, newProject } from "../kit/Scenes.ts"

/** A Candidate whose composition another version finished, in words of its own. */
const scene = Effect.gen(function* () {
  const project = yield* newProject()
  const candidate = yield* askedFor(project.id, "r1", { "a.txt": "a" })
  const commands = yield* Commands
  const [leased] = yield* commands.claim({
    worker: "newer",
    kinds: ["candidate.create"],
    limit: 1,
    leaseMs: Limits.commandLeaseMs
  })
  const { command, lease } = leased!
  const journal = { process: command.id, step: "merge", result: { _tag: "Woven", threads: 3 } }
  yield* (yield* Ledger).commit({ name: "test", projectId: project.id, journal, lease })
  yield* commands.release(lease, 0)
  yield* settle
  return { project, candidate, process: command.id }
})

const lettersOf = (projectId: string) => Effect.flatMap(Commands, (commands) => commands.deadLetters(projectId))
const stepsOf = (process: string) => Effect.flatMap(Journal, (journal) => journal.steps(process))

describe("A process whose journal cannot be read", () => {
  it("is a dead letter at once, which says what cannot be read; nothing is done anew", () =>
    run(
      Effect.gen(function* () {
        const { candidate, process, project } = yield* scene
        const [letter] = yield* lettersOf(project.id)
        expect(letter).toMatchObject({ id: process, attempts: 1 })
        expect(letter!.lastProblem).toContain("JournalUnreadable: This version cannot read what the step merge of")
        expect((yield* demand("candidate", candidate.id)).record.status).toBe("composing")
        expect((yield* stepsOf(process)).get("merge")).toEqual({ _tag: "Woven", threads: 3 })
      })
    ))

  it("refuses again when it is retried: a finished step is never repeated", () =>
    run(
      Effect.gen(function* () {
        const { candidate, process, project } = yield* scene
        yield* DeadLetters.retry(person, process)
        expect(yield* lettersOf(project.id)).toEqual([])
        yield* settle
        expect(yield* lettersOf(project.id)).toMatchObject([{ id: process, attempts: 1 }])
        expect((yield* demand("candidate", candidate.id)).record.status).toBe("composing")
        expect((yield* stepsOf(process)).size).toBe(1)
      })
    ))

  it("ends when it is dismissed, as with any dead letter, and its journal with it", () =>
    run(
      Effect.gen(function* () {
        const { candidate, process, project } = yield* scene
        yield* DeadLetters.dismiss(person, process)
        expect(yield* lettersOf(project.id)).toEqual([])
        expect((yield* demand("candidate", candidate.id)).record.status).toBe("rejected")
        expect((yield* stepsOf(process)).size).toBe(0)
      })
    ))
})
