import { slice } from "@pawl/testing/Depth"
import { Context, Effect, Exit, References } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { AppData } from "@pawl/core/app/AppData"
import { AppLogs } from "@pawl/core/app/AppLogs"
import { DailyCounter } from "@pawl/core/bundle/DailyCounter"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Policies from "@pawl/core/approval/Policies"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as Cancellation from "@pawl/core/change/Cancellation"
import * as Changes from "@pawl/core/change/Changes"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { commandKinds } from "@pawl/core/model/Command"
import { Commands } from "@pawl/core/work/Commands"
import { EventLog } from "@pawl/core/event/EventLog"
import { handlers } from "@pawl/core/worker/Handlers"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger, LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { execute } from "@pawl/core/work/Processes"
import { Records } from "@pawl/core/ledger/Records"
import { ObjectStore, ObjectStoreUnavailable } from "@pawl/core/objects/ObjectStore"
import { PackageStore, PackagesUnavailable } from "@pawl/core/packages/PackageStore"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Projects from "@pawl/core/project/Projects"
import { Repositories, RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import * as Promotions from "@pawl/core/promotion/Promotions"
import * as Rollbacks from "@pawl/core/promotion/Rollbacks"
import { type Fault, inject } from "@pawl/testing/tools/Faults"
import { type Call, nameOf, wrap } from "@pawl/testing/tools/PortWrap"
import { answers, organizationId, page, person, run } from "../kit/MemoryPawl.ts"
import { files } from "../kit/Scenes.ts"

/** Every method of every port that keeps something: what changes it, and what only reads. A new one must be put here. */
const ports = {
  Ledger: { writes: ["commit"], reads: [] },
  Commands: {
    writes: ["claim", "renew", "finish", "fail", "release", "releaseAll", "retry", "dismiss"],
    reads: ["awaitWork", "workableSince", "deadLetters", "oldLetters", "deadLetter"]
  },
  DailyCounter: { writes: ["take", "add"], reads: ["used", "usedBy"] },
  SharedSlots: { writes: ["take", "renew", "giveBack", "giveAllBack"], reads: ["isHeld"] },
  Fleet: { writes: ["note", "leave", "leaveAll", "contract"], reads: ["all"] },
  ObjectStore: {
    writes: ["put", "create", "copy", "remove", "removePrefix"],
    reads: ["get", "stream", "head", "list"]
  },
  Repositories: {
    writes: ["seed", "begin", "fork", "commit", "commitTree", "merge", "advance", "compact", "remove"],
    reads: ["resolve", "parents", "main", "list", "read", "open", "files", "diff", "diffText", "mergeFile"]
  },
  AppData: { writes: ["put", "remove", "wipe"], reads: ["get", "list"] },
  AppLogs: { writes: ["append", "wipe"], reads: ["read", "follow"] },
  // A layer keeps what was fetched for good, once, by what it is: made again it is the same.
  PackageStore: { writes: ["layer"], reads: ["registry", "read", "lock", "facts"] }
} as const
type Port = keyof typeof ports

const isWrite = (call: Call): boolean =>
  call.port in ports && (ports[call.port as Port].writes as ReadonlyArray<string>).includes(call.method)

const failureOf = (call: Call): unknown => {
  const reason = "injected"
  if (call.port === "ObjectStore")
    return new ObjectStoreUnavailable({ operation: call.method, key: "injected", reason })
  if (call.port === "Repositories") return new RepositoriesUnavailable({ operation: call.method, reason })
  if (call.port === "PackageStore") return new PackagesUnavailable({ reason })
  return new LedgerUnavailable({ operation: call.method, reason })
}

const isOutage = (error: unknown): boolean =>
  error instanceof LedgerUnavailable ||
  error instanceof ObjectStoreUnavailable ||
  error instanceof RepositoriesUnavailable ||
  error instanceof PackagesUnavailable

/** A client that sends a request again when it got no answer. */
const insist = <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.retry(request, { while: isOutage, times: 3 })

/** What a repeated request answers when the first one did its work: the client looks instead of asking again. */
const doneBefore = (tag: string) => (error: unknown) =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === tag

/** Runs what is due, as workers do: a claim that fails is claimed again, and a lease that was lost runs out. */
const settle = Effect.gen(function* () {
  const commands = yield* Commands
  const kinds = commandKinds.filter((kind) => handlers[kind] !== undefined)
  const asked = { worker: "test", kinds, limit: 10, leaseMs: Limits.commandLeaseMs }
  for (let quiet = 0; quiet < 4;) {
    const claimed = yield* Effect.exit(commands.claim(asked))
    const due = Exit.isSuccess(claimed) ? claimed.value : []
    yield* Effect.forEach(due, (leased) => execute(leased, handlers), { discard: true })
    quiet = due.length === 0 ? quiet + 1 : 0
    if (due.length === 0) yield* TestClock.adjust("35 seconds")
  }
})

const edited = (projectId: string, request: string, edits: Record<string, string>) =>
  Effect.gen(function* () {
    const { change } = yield* insist(
      Changes.open(person, { projectId, clientRequestId: request, goal: request, budgetUsd: 1 })
    )
    yield* insist(ChangeSets.record(person, { changeId: change.id, message: request, files: edits })).pipe(
      // Recorded before, and its answer lost: the same edit again changes nothing.
      Effect.catchIf(doneBefore("InvalidField"), () => Effect.void)
    )
    return change.id
  })

const candidateOf = (changeId: string) =>
  Effect.map(insist(Candidates.request(person, { changeId })), ({ candidate }) => candidate.id)

/** The newest Candidate of a Change that can still be promoted. */
const verifiedOf = (changeId: string) =>
  Effect.gen(function* () {
    const found = yield* (yield* Records).list("candidate", { where: { changeId, status: "verified" } })
    return found.items.at(-1)!.record.id
  })

const projectOf = Effect.flatMap(Records, (records) =>
  Effect.map(records.list("project", { limit: 1 }), (found) => found.items[0]!.record.id)
)

/** A Project's whole life: promoted by a person and by itself, raced, recomposed, approved, cancelled, rolled back. */
const story = Effect.gen(function* () {
  yield* insist(Projects.create(person, { organizationId, slug: "corner", files })).pipe(
    Effect.catchIf(doneBefore("SlugTaken"), () => Effect.void)
  )
  yield* settle
  const projectId = yield* projectOf
  yield* insist(Policies.change(person, projectId, { autoPromoteRiskTiers: ["low"], approvalRiskTiers: ["high"] }))
  const racers = [
    yield* edited(projectId, "low one", { "a.md": "a" }),
    yield* edited(projectId, "low two", { "b.md": "b" })
  ]
  for (const racer of racers) yield* candidateOf(racer)
  yield* settle
  const mine = yield* edited(projectId, "by hand", { "src/index.js": "two" })
  yield* candidateOf(mine)
  yield* settle
  yield* insist(Promotions.promote(person, yield* verifiedOf(mine)))
  yield* settle
  const grave = yield* edited(projectId, "grave", { "migrations/1.sql": "one" })
  yield* candidateOf(grave)
  yield* settle
  const candidateId = yield* verifiedOf(grave)
  yield* insist(Approvals.decide(person, { changeId: grave, candidateId, decision: "granted" }))
  yield* insist(Promotions.promote(person, candidateId))
  yield* settle
  const given = yield* edited(projectId, "given up", { "c.txt": "c" })
  yield* candidateOf(given)
  yield* insist(Cancellation.cancel(person, given))
  yield* settle
  const back = yield* insist(Rollbacks.request(person, { projectId, targetGeneration: 3, expectedGeneration: 4 }))
  yield* settle
  yield* insist(
    Approvals.decide(person, { changeId: back.change.id, candidateId: back.candidate.id, decision: "granted" })
  )
  yield* insist(Promotions.promote(person, back.candidate.id))
  yield* settle
  return projectId
})

/**
 * What must be the same, whatever was lost on the way. Which of two racers is first, and whether a release was
 * superseded by the next, may differ: that depends on when the work that lost its answer was taken up again.
 */
const endOf = (projectId: string) =>
  Effect.gen(function* () {
    const records = yield* Records
    const all = { projectId, limit: "all" } as const
    const changes = (yield* records.list("change", all)).items.map(({ record }) => `${record.goal}: ${record.status}`)
    const candidates = (yield* records.list("candidate", all)).items.map(({ record }) => record.status)
    const releases = (yield* records.list("release", all)).items.map(({ record }) => record.status)
    const pointer = (yield* demand("pointer", `${projectId}/production`)).record
    const evidence = (yield* records.list("evidence", all)).items.map(
      ({ record }) => `${record.subject.candidateId ?? record.subject.releaseId} ${record.checkId}`
    )
    const events: Array<string> = []
    const log = yield* EventLog
    for (let page = yield* log.read(projectId, 0, 100); page.length > 0;) {
      expect(page.map((event) => event.sequence)).toEqual(page.map((_, index) => events.length + index + 1))
      events.push(...page.map((event) => event.type))
      page = yield* log.read(projectId, events.length, 100)
    }
    // Every check of a Candidate left one row, however often it was begun.
    expect(new Set(evidence).size).toBe(evidence.length)
    const letters = yield* (yield* Commands).deadLetters(projectId)
    expect(letters.map((letter) => `${letter.id}: ${letter.lastProblem}`)).toEqual([])
    const head = (yield* demand("head", projectId)).record
    const count = (type: string) => events.filter((each) => each === type).length
    return {
      head: [head.generation, head.syncedGeneration, head.tree],
      changes: changes.toSorted(),
      open: candidates.filter((status) => ["composing", "verifying", "verified"].includes(status)),
      promoted: candidates.filter((status) => status === "promoted").length,
      releases: releases.filter((status) => status !== "deployed" && status !== "superseded"),
      pointer: [pointer.status, pointer.generation],
      events: ["canonical.advanced", "change.completed", "change.cancelled", "approval.granted"].map(count)
    }
  })

const tags = { Ledger, Commands, DailyCounter, ObjectStore, Repositories, AppData, AppLogs, PackageStore }

/** Plays the story with one fault at the `nth` write; answers its end and the writes it made. */
const play = (fault: Fault, nth: number) =>
  run(
    Effect.gen(function* () {
      const made: Array<string> = []
      let hit: Call | null = null
      const faults = inject({
        fault,
        nth,
        counts: (call) => {
          if (!isWrite(call)) return false
          made.push(nameOf(call))
          hit = call
          return true
        },
        failure: () => failureOf(hit!)
      })
      const context = yield* Effect.context<
        Ledger | Commands | DailyCounter | ObjectStore | Repositories | AppData | AppLogs | PackageStore
      >()
      const broken = Context.make(Ledger, wrap(Ledger, Context.get(context, Ledger), faults.around)).pipe(
        Context.add(Commands, wrap(Commands, Context.get(context, Commands), faults.around)),
        Context.add(DailyCounter, wrap(DailyCounter, Context.get(context, DailyCounter), faults.around)),
        Context.add(ObjectStore, wrap(ObjectStore, Context.get(context, ObjectStore), faults.around)),
        Context.add(Repositories, wrap(Repositories, Context.get(context, Repositories), faults.around)),
        Context.add(AppData, wrap(AppData, Context.get(context, AppData), faults.around)),
        Context.add(AppLogs, wrap(AppLogs, Context.get(context, AppLogs), faults.around)),
        Context.add(PackageStore, wrap(PackageStore, Context.get(context, PackageStore), faults.around))
      )
      const projectId = yield* Effect.provide(story, broken)
      return { end: yield* endOf(projectId), made }
    }).pipe(Effect.provide(TestClock.layer()), Effect.provideService(References.MinimumLogLevel, "None"))
  )

/** Each kind of write the first time and the last time it is made: the life of a Project repeats itself. */
const firstAndLast = (made: ReadonlyArray<string>): ReadonlyArray<number> =>
  [...new Set(made.flatMap((name) => [made.indexOf(name), made.lastIndexOf(name)]))].toSorted((a, b) => a - b)

describe("A lost answer is safe to retry", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it("knows of every method of every port whether it writes", () =>
    run(
      Effect.gen(function* () {
        const context = yield* Effect.context<
          Ledger | Commands | DailyCounter | ObjectStore | Repositories | AppData | AppLogs | PackageStore
        >()
        for (const [name, tag] of Object.entries(tags)) {
          const { reads, writes } = ports[name as Port]
          const methods = Object.keys(Context.get(context, tag as typeof Ledger))
          expect([name, ...methods.toSorted()]).toEqual([name, ...[...reads, ...writes].toSorted()])
        }
      })
    ))

  it.each(["fail-before", "commit-then-fail", "twice"] as const)(
    "at every write of a Project's life: %s",
    async (fault) => {
      const { end, made } = await play(fault, -1)
      expect(end.head[0]).toBe(5)
      expect(made.length).toBeGreaterThan(100)
      const wrong: Array<string> = []
      for (const nth of slice(firstAndLast(made), { quick: 12 })) {
        const found = await play(fault, nth).catch((error: unknown) => String(error))
        if (typeof found === "string") wrong.push(`write ${nth}, ${made[nth]}: ${found}`)
        else if (JSON.stringify(found.end) !== JSON.stringify(end))
          wrong.push(`write ${nth}, ${made[nth]}: ended as ${JSON.stringify(found.end)}`)
      }
      expect(wrong).toEqual([])
      console.log(`${made.length} writes of ${new Set(made).size} kinds, each with ${fault}`)
    },
    300_000
  )
})
