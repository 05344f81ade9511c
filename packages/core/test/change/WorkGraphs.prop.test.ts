import { rounds, seed } from "@pawl/testing/Depth"
import * as FastCheck from "fast-check"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import * as Budget from "@pawl/core/change/Budget"
import * as Cancellation from "@pawl/core/change/Cancellation"
import { isClosed } from "@pawl/core/change/Changes"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { commandKinds, type LeasedCommand } from "@pawl/core/model/Command"
import { Commands } from "@pawl/core/work/Commands"
import * as DeadLetters from "@pawl/core/worker/DeadLetters"
import { handlers } from "@pawl/core/worker/Handlers"
import { demand } from "@pawl/core/ledger/Decision"
import { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { execute } from "@pawl/core/work/Processes"
import { Records } from "@pawl/core/ledger/Records"
import { Limits } from "@pawl/core/primitives/Limits"
import { AgentUnavailable } from "@pawl/core/task/Agent"
import { handOver, retry, stop } from "@pawl/core/task/Interventions"
import { user } from "@pawl/core/model/Actor"
import { isActive } from "@pawl/core/model/Task"
import { person } from "../kit/MemoryPawl.ts"
import { ends, type Hands, inWorld, newProject, open, planned, publishes, type Script } from "../kit/WorkWorld.ts"

const histories = rounds({ quick: 50, deep: 100, long: 2000 })

type Kind = "publish" | "retry" | "escalate" | "fail" | "stop" | "away" | "empty"

/** What people do about a Task. */
type Act = "stop" | "retry" | "handOver" | "edit"

interface Story {
  /** Per Task: which of the Tasks before it it depends on, and what its agents do. */
  readonly tasks: ReadonlyArray<{ readonly deps: ReadonlyArray<number>; readonly acts: ReadonlyArray<Kind> }>
  /** By number of the commit: it fails, or its answer is lost. */
  readonly faults: ReadonlyArray<{ readonly nth: number; readonly lost: boolean }>
  /** By number of the claim: its worker dies before it begins, or is frozen and thaws when others have carried on. */
  readonly deaths: ReadonlyArray<{ readonly nth: number; readonly thaws: boolean }>
  /** By number of the commit: right before it somebody does something about a Task. */
  readonly people: ReadonlyArray<{
    readonly nth: number
    readonly task: number
    readonly act: Act
    readonly who: number
  }>
  readonly cancelAt: number | null
  readonly raises: number
  readonly retries: number
}

const kinds: ReadonlyArray<Kind> = [
  "publish",
  "publish",
  "publish",
  "retry",
  "escalate",
  "fail",
  "stop",
  "away",
  "empty"
]

const story: FastCheck.Arbitrary<Story> = FastCheck.record({
  tasks: FastCheck.array(
    FastCheck.record({
      deps: FastCheck.array(FastCheck.nat(11), { maxLength: 2 }),
      acts: FastCheck.array(FastCheck.constantFrom(...kinds), { maxLength: 4 })
    }),
    { minLength: 1, maxLength: 12, size: "large" }
  ),
  faults: FastCheck.array(FastCheck.record({ nth: FastCheck.nat(60), lost: FastCheck.boolean() }), { maxLength: 6 }),
  deaths: FastCheck.array(FastCheck.record({ nth: FastCheck.nat(20), thaws: FastCheck.boolean() }), { maxLength: 3 }),
  people: FastCheck.array(
    FastCheck.record({
      nth: FastCheck.nat(60),
      task: FastCheck.nat(11),
      act: FastCheck.constantFrom<Act>("stop", "retry", "handOver", "edit"),
      who: FastCheck.nat(1)
    }),
    { maxLength: 8 }
  ),
  cancelAt: FastCheck.option(FastCheck.nat(80), { freq: 3 }),
  raises: FastCheck.nat(3),
  retries: FastCheck.nat(3)
})

/** An agent lets others go first, so that runs overlap. */
const slowly =
  (script: Script, turns: number): Script =>
  (job) =>
    Effect.andThen(Effect.yieldNow.pipe(Effect.repeat({ times: turns })), script(job))

const scripts: { readonly [K in Kind]: Script } = {
  publish: publishes,
  retry: ends("Retry"),
  escalate: ends("Escalate"),
  fail: ends("Failed"),
  stop: ends("Stopped"),
  away: () => new AgentUnavailable({ reason: "away" }),
  empty: () =>
    Effect.succeed({ _tag: "Published", edits: {}, message: "", intents: [], usage: { modelCalls: 0, costUsd: 0 } })
}

const actors = [person, user("usr_00000000-0000-4000-8000-000000000002")]

/** Does it, when it can be done. */
const acted = (changeId: string, key: string, act: Act, who: number) => {
  const actor = actors[who] ?? person
  const taskId = `tsk_${changeId}_${key}`
  const acts = {
    stop: stop(actor, taskId),
    retry: retry(actor, taskId),
    handOver: handOver(actor, taskId),
    edit: ChangeSets.record(actor, { changeId, taskId, message: key, files: { [`${key}-${who}.txt`]: taskId } })
  }
  return Effect.ignore(acts[act])
}

/** Lets the agent of a Task go on; a Task that has nothing to begin with is held by nobody then. */
const givenBack = (taskId: string, faults: number) =>
  retry(person, taskId).pipe(
    Effect.catchTag("NotRetryable", () => stop(person, taskId)),
    Effect.retry({ while: ({ _tag }) => _tag === "LedgerUnavailable", times: faults }),
    Effect.orDie
  )

const tasksOf = (changeId: string) =>
  Effect.gen(function* () {
    const page = yield* (yield* Records).list("task", { where: { changeId }, limit: "all" })
    return page.items.map(({ record }) => record)
  })

const unfinished = new Set(["pending", "ready", "assigned", "running", "blocked"])

/** What holds after every commit. */
const always = (changeId: string) =>
  Effect.gen(function* () {
    const { record: change } = yield* demand("change", changeId)
    const tasks = yield* tasksOf(changeId)
    expect(tasks.filter(isActive).length).toBeLessThanOrEqual(Limits.activeAgentsPerChange)
    const byPeople = yield* (yield* Records).list("taskRun", { where: { changeId }, limit: "all" })
    const done = new Set(byPeople.items.flatMap(({ record }) => (record.tier === null ? [record.taskId] : [])))
    for (const task of tasks) {
      expect(task.blockedBy === "person").toBe((task.heldBy ?? null) !== null)
      const needed = tasks.filter((each) => task.dependsOn.includes(each.key))
      // A person who takes a Task over need not wait for what it depends on.
      if (isActive(task) || task.status === "ready" || (task.status === "completed" && !done.has(task.id)))
        expect(needed.map((each) => each.status)).toEqual(needed.map(() => "completed"))
      expect(task.status === "blocked").toBe((task.blockedBy ?? null) !== null)
    }
    if (isClosed(change.status)) expect(tasks.filter((task) => unfinished.has(task.status))).toEqual([])
  })

/** What holds when nothing is left to do. */
const atRest = (changeId: string) =>
  Effect.gen(function* () {
    const { record: change } = yield* demand("change", changeId)
    const tasks = yield* tasksOf(changeId)
    const runs = yield* (yield* Records).list("taskRun", { where: { changeId }, limit: "all" })
    expect(runs.items.filter(({ record }) => record.endedAt === null)).toEqual([])
    expect(tasks.filter(isActive)).toEqual([])
    if (change.status === "budget_blocked")
      expect(tasks.some((task) => task.blockedBy === "budget" || task.status === "ready")).toBe(true)
    else expect(tasks.filter((task) => task.status === "ready" || task.status === "pending")).toEqual([])
    const completed = tasks.length > 0 && tasks.every((task) => task.status === "completed")
    if (completed) expect(["verifying", "cancelled"]).toContain(change.status)
    const candidates = yield* (yield* Records).list("candidate", { where: { changeId }, limit: "all" })
    const changeSets = yield* (yield* Records).list("changeSet", { where: { changeId }, limit: "all" })
    if (change.status === "verifying")
      expect(candidates.items.map(({ record }) => record.changeSets.length)).toEqual(
        changeSets.items.length === 0 ? [] : [changeSets.items.length]
      )
    return change
  })

/** Claims and runs what is due, several at a time, while some workers die or freeze, until nothing comes due any more. */
const live = (tale: Story, claims: { count: number }) =>
  Effect.gen(function* () {
    const commands = yield* Commands
    const frozen: Array<LeasedCommand> = []
    for (let quiet = 0; quiet < 3;) {
      const claimed = yield* commands.claim({
        worker: "test",
        kinds: commandKinds,
        limit: 4,
        leaseMs: Limits.commandLeaseMs
      })
      const alive = claimed.filter((leased) => {
        const death = tale.deaths.find((each) => each.nth === claims.count)
        claims.count++
        if (death?.thaws === true) frozen.push(leased)
        return death === undefined
      })
      yield* Effect.forEach(alive, (leased) => execute(leased, handlers), { concurrency: "unbounded", discard: true })
      quiet = claimed.length > 0 ? 0 : quiet + 1
      if (quiet === 0) continue
      // Leases of the dead end, and what was put off comes due; then the frozen go on as if nothing had happened.
      yield* TestClock.adjust("40 seconds")
      for (const leased of frozen.splice(0)) yield* execute(leased, handlers)
    }
  })

const lettersOf = (projectId: string) => Effect.flatMap(Commands, (commands) => commands.deadLetters(projectId))

/** Commits of agents' work; what people do comes right before one of each. */
const moves = ["Tasks.admitted", "Tasks.started", "Tasks.completed", "Tasks.retried", "Tasks.stopped"]

const arrange = (hands: Hands, tale: Story, changeId: string) => {
  const keys = tale.tasks.map((_, index) => `t${index}`)
  const graph = tale.tasks.map((task, index) =>
    planned(keys[index]!, index === 0 ? [] : [...new Set(task.deps.map((dep) => keys[dep % index]!))])
  )
  // Named backwards, so that the order of the graph has to be found.
  hands.plan = () => Effect.succeed(graph.toReversed())
  tale.tasks.forEach((task, index) =>
    hands.agents.set(
      keys[index]!,
      task.acts.map((act, turn) => slowly(scripts[act], (index + turn) % 5))
    )
  )
  let commits = 0
  let arePeopleHere = true
  hands.around = (commit, done) =>
    Effect.gen(function* () {
      const nth = commits++
      const fault = tale.faults.find((each) => each.nth === nth)
      const failure = new LedgerUnavailable({ operation: "commit", reason: `fault at ${commit.name}` })
      if (fault?.lost === false) return yield* failure
      const acts = tale.people.filter((each) => arePeopleHere && each.nth === nth)
      const both = Effect.forEach(acts, ({ act, task, who }) => acted(changeId, keys[task % keys.length]!, act, who))
      if (acts.length > 0) for (const name of moves) hands.before.set(name, both)
      if (tale.cancelAt === nth)
        hands.before.set("Tasks.completed", Effect.ignore(Cancellation.cancel(person, changeId)))
      const answer = yield* done
      return fault === undefined ? answer : yield* failure
    })
  return () => {
    arePeopleHere = false
    for (const name of moves) hands.before.delete(name)
  }
}

const play = (tale: Story, told: { [status: string]: number }) =>
  inWorld((hands) =>
    Effect.gen(function* () {
      const project = yield* newProject
      const changeId = yield* open(project.id)
      const peopleLeave = arrange(hands, tale, changeId)
      const around = hands.around
      const records = yield* Records
      const check = Effect.orDie(Effect.provideService(always(changeId), Records, records))
      hands.around = (commit, done) => Effect.tap(around(commit, done), () => check)
      const claims = { count: 0 }
      yield* live(tale, claims)
      for (let n = 0; n < tale.raises; n++) {
        yield* Effect.ignore(Budget.raise(person, changeId, 2 + n))
        yield* live(tale, claims)
      }
      for (let n = 0; n < tale.retries; n++) {
        for (const letter of yield* lettersOf(project.id)) yield* Effect.ignore(DeadLetters.retry(person, letter.id))
        yield* live(tale, claims)
      }
      // No fault is left to come: what still lies there is retried, and everything comes to rest.
      for (const letter of yield* lettersOf(project.id))
        if (letter.kind !== "agent.wake") yield* DeadLetters.retry(person, letter.id)
      yield* live(tale, claims)
      // Nobody does anything more, and whoever had stopped a Task, or held it, lets its agent go on.
      peopleLeave()
      for (const task of yield* tasksOf(changeId))
        if (task.blockedBy === "stopped" || task.blockedBy === "person") yield* givenBack(task.id, tale.faults.length)
      yield* live(tale, claims)
      const { status } = yield* atRest(changeId)
      told[status] = (told[status] ?? 0) + 1
    })
  )

describe("Work Graphs under random histories", () => {
  it("come to rest, with no Task before its dependencies, never more than 8 agents, and no open Task in a finished Change", async () => {
    const told: { [status: string]: number } = {}
    await FastCheck.assert(
      FastCheck.asyncProperty(story, (tale) => play(tale, told)),
      { numRuns: histories, seed }
    )
    console.log(`${histories} histories, at rest as ${JSON.stringify(told)}`)
    expect(Object.keys(told).toSorted()).toEqual(["budget_blocked", "cancelled", "running", "verifying"])
  }, 1_100_000)
})
