/** How dead letters end when nobody looks after them, and those of the directory. */
import { Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { archive } from "@pawl/core/project/Archival"
import { type CommandKind, commandId } from "@pawl/core/model/Command"
import { Commands } from "@pawl/core/work/Commands"
import * as DeadLetters from "@pawl/core/worker/DeadLetters"
import * as DirectoryLetters from "@pawl/core/worker/DirectoryLetters"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand, find } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Limits } from "@pawl/core/primitives/Limits"
import { Repositories, RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import * as Projects from "@pawl/core/project/Projects"
import { organizationId, person, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, files, newProject } from "../kit/Scenes.ts"
import { after, play, runOne } from "../kit/UpkeepScenes.ts"

/** A command that failed for good. */
const bury = (projectId: string | null, kind: CommandKind, name: string, payload = {}) =>
  Effect.gen(function* () {
    const commands = yield* Commands
    const id = commandId(kind, name)
    yield* (yield* Ledger).commit({ name: "test", projectId, commands: [{ kind, id, payload, maxAttempts: 1 }] })
    const claimed = yield* commands.claim({ worker: "test", kinds: [kind], limit: 1000, leaseMs: 1000 })
    for (const { lease } of claimed) yield* commands.fail(lease, "it broke", 0)
    return id
  })

const lettersOf = (projectId: string | null) =>
  Effect.flatMap(Commands, (commands) =>
    Effect.map(commands.deadLetters(projectId), (letters) => letters.map(({ id }) => id))
  )
const sweep = Effect.flatMap(Ledger, (ledger) =>
  ledger.commit({
    name: "test",
    projectId: null,
    commands: [{ kind: "retention.sweep", id: "retention.sweep:test", payload: {} }]
  })
).pipe(Effect.andThen(settle))

/** A Project whose source cannot be stored: its creation fails, and so do all tries of a worker. */
const unprovisioned = (slug: string) =>
  Effect.gen(function* () {
    const away = {
      ...(yield* Repositories),
      seed: () => new RepositoriesUnavailable({ operation: "seed", reason: "away" })
    }
    const work = Effect.gen(function* () {
      yield* Effect.result(Projects.create(person, { organizationId, slug, files }))
      const commands = yield* Commands
      for (let days = 0; (yield* commands.deadLetters(null)).length === 0 && days < 30; days++) {
        yield* TestClock.adjust("1 hour")
        yield* runOne("project.provision")
      }
    })
    yield* Effect.provideService(work, Repositories, away)
    const [letter] = yield* (yield* Commands).deadLetters(null)
    const slot = yield* demand("slug", `${organizationId}/${slug}`)
    return { letter: letter!, projectId: slot.record.projectId }
  }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))

describe("A dead letter that nobody looks after", () => {
  it("is dismissed after its days, as a person would have: what it stood for ends", () =>
    play(
      Effect.gen(function* () {
        const project = yield* newProject()
        const candidate = yield* candidateOf(project.id, "r1", { "a.txt": "a" })
        yield* Effect.flatMap(demand("candidate", candidate.id), (stored) =>
          Effect.flatMap(Ledger, (ledger) =>
            ledger.commit({
              name: "test",
              projectId: project.id,
              writes: [Commit.update("candidate", stored, { status: "verifying" })]
            })
          )
        )
        const dead = yield* bury(project.id, "candidate.create", candidate.id, { candidateId: candidate.id })
        const odd = yield* bury(project.id, "candidate.promote", "odd", { nothing: true })
        for (let n = 0; n < Limits.pageSize; n++) yield* bury(project.id, "canonical.sweep", `${project.id}/${n}`)
        yield* after(Limits.deadLetterDays - 1)
        const young = yield* bury(null, "forks.sweep", "2030-01-01")
        yield* sweep
        expect(yield* lettersOf(project.id)).toEqual(expect.arrayContaining([dead, odd]))
        yield* after(2)
        yield* Effect.provideService(sweep, References.MinimumLogLevel, "None")
        expect(yield* lettersOf(project.id)).toEqual([])
        expect(yield* lettersOf(null)).toEqual([young])
        expect((yield* demand("candidate", candidate.id)).record.status).toBe("rejected")
      })
    ))

  it("goes with its Project when that is archived", () =>
    play(
      Effect.gen(function* () {
        const [project, other] = [yield* newProject("one"), yield* newProject("two")]
        for (let n = 0; n < Limits.pageSize + 1; n++) yield* bury(project.id, "canonical.sweep", `${project.id}/${n}`)
        const kept = yield* bury(other.id, "canonical.sweep", other.id)
        yield* archive(person, project.id)
        yield* settle
        expect((yield* demand("project", project.id)).record.cleanedAt).not.toBeNull()
        expect(yield* lettersOf(project.id)).toEqual([])
        expect(yield* lettersOf(other.id)).toEqual([kept])
      })
    ))
})

describe("A Project whose provisioning died", () => {
  it("is active once its dead letter is retried", () =>
    play(
      Effect.gen(function* () {
        const { letter, projectId } = yield* unprovisioned("healed")
        expect(letter).toMatchObject({ kind: "project.provision", projectId: null })
        expect(DirectoryLetters.organizationOf(letter)).toBe(organizationId)
        expect((yield* demand("project", projectId)).record.status).toBe("provisioning")
        yield* DeadLetters.retry(person, letter.id)
        yield* settle
        expect((yield* demand("project", projectId)).record.status).toBe("active")
        expect((yield* demand("head", projectId)).record.generation).toBe(0)
        expect(yield* lettersOf(null)).toEqual([])
      })
    ))

  it("is archived when its dead letter is dismissed", () =>
    play(
      Effect.gen(function* () {
        const { letter, projectId } = yield* unprovisioned("left")
        yield* DeadLetters.dismiss(person, letter.id)
        expect((yield* demand("project", projectId)).record.status).toBe("archived")
        expect(yield* lettersOf(null)).toEqual([])
      })
    ))

  it("gives its slug back when it was never stored", () =>
    play(
      Effect.gen(function* () {
        const { letter, projectId } = yield* unprovisioned("again")
        const stored = yield* demand("project", projectId)
        yield* (yield* Ledger).commit({
          name: "test",
          projectId,
          writes: [{ _tag: "Delete", kind: "project", id: projectId, revision: stored.revision }]
        })
        yield* DeadLetters.dismiss(person, letter.id)
        expect(yield* find("slug", `${organizationId}/again`)).toBeNull()
        expect((yield* Projects.create(person, { organizationId, slug: "again", files })).status).toBe("active")
      })
    ))
})
