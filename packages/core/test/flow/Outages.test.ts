/** Machinery goes away for an hour, at every step of the main path, and everything ends as if it had not. */
import { slice } from "@pawl/testing/Depth"
import { Context, Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { AppBuilder, BuilderUnavailable } from "@pawl/core/bundle/AppBuilder"
import { Sandbox, SandboxUnavailable } from "@pawl/core/verification/Sandbox"
import { Commands } from "@pawl/core/work/Commands"
import { EventLog } from "@pawl/core/event/EventLog"
import { handlers } from "@pawl/core/worker/Handlers"
import { commandKinds } from "@pawl/core/model/Command"
import { demand } from "@pawl/core/ledger/Decision"
import { Journal } from "@pawl/core/work/Journal"
import { Ledger, LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { execute } from "@pawl/core/work/Processes"
import { Records } from "@pawl/core/ledger/Records"
import { ObjectStore, ObjectStoreUnavailable } from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import { Settings } from "@pawl/core/primitives/Settings"
import * as Time from "@pawl/core/primitives/Time"
import { Repositories, RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import * as Policies from "@pawl/core/approval/Policies"
import { tick } from "@pawl/core/upkeep/Schedules"
import { type Around, nameOf, wrap } from "@pawl/testing/tools/PortWrap"
import { answers, page, run } from "../kit/MemoryPawl.ts"
import { askedFor, newProject } from "../kit/Scenes.ts"

const hour = 3_600_000
const reason = "away"

/** Each kind of machinery: the ports that it is behind, and what they say when it is away. */
const machinery = {
  database: {
    ports: ["Ledger", "Records", "Commands", "Journal"],
    failure: (operation: string) => new LedgerUnavailable({ operation, reason })
  },
  "object store": {
    ports: ["ObjectStore"],
    failure: (operation: string) => new ObjectStoreUnavailable({ operation, key: "any", reason })
  },
  git: {
    ports: ["Repositories"],
    failure: (operation: string) => new RepositoriesUnavailable({ operation, reason })
  },
  builder: { ports: ["AppBuilder"], failure: () => new BuilderUnavailable({ reason }) },
  sandbox: { ports: ["Sandbox"], failure: () => new SandboxUnavailable({ reason }) }
} as const
type Machinery = keyof typeof machinery

/** How the machinery behaves for workers: what they asked of it, and from which question on it is away for an hour. */
const makeOutage = (kind: Machinery, from: number) => {
  const asked: Array<string> = []
  let untilMs = 0
  const ports: ReadonlyArray<string> = machinery[kind].ports
  const around: Around = (call, effect) =>
    Effect.flatMap(Time.nowMillis, (now) => {
      // Waiting for work asks nothing that could fail.
      if (!ports.includes(call.port) || call.method === "awaitWork") return effect
      if (asked.push(nameOf(call)) - 1 === from) untilMs = now + hour
      return now < untilMs ? (Effect.fail(machinery[kind].failure(call.method)) as unknown as typeof effect) : effect
    })
  return { asked, around }
}

/** A worker's look each few seconds for two hours and a half of the clock, and the tick each minute, until nothing is left. */
const workers = (around: Around) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<
      Ledger | Records | Commands | Journal | ObjectStore | Repositories | AppBuilder | Sandbox
    >()
    const broken = Context.make(Ledger, wrap(Ledger, Context.get(context, Ledger), around)).pipe(
      Context.add(Records, wrap(Records, Context.get(context, Records), around)),
      Context.add(Commands, wrap(Commands, Context.get(context, Commands), around)),
      Context.add(Journal, wrap(Journal, Context.get(context, Journal), around)),
      Context.add(ObjectStore, wrap(ObjectStore, Context.get(context, ObjectStore), around)),
      Context.add(Repositories, wrap(Repositories, Context.get(context, Repositories), around)),
      Context.add(AppBuilder, wrap(AppBuilder, Context.get(context, AppBuilder), around)),
      Context.add(Sandbox, wrap(Sandbox, Context.get(context, Sandbox), around))
    )
    const kinds = commandKinds.filter((kind) => handlers[kind] !== undefined)
    const asked = { worker: "w", kinds, limit: 1, leaseMs: Limits.commandLeaseMs }
    const turn = Effect.gen(function* () {
      const claimed = yield* (yield* Commands).claim(asked).pipe(Effect.orElseSucceed(() => []))
      for (const leased of claimed) yield* Effect.forkChild(execute(leased, handlers))
      return claimed.length
    })
    for (let quiet = 0; quiet < 3;) {
      const taken = yield* Effect.provide(turn, broken)
      // What was claimed comes to its end, or to where it waits; its pauses are seconds at first.
      for (let n = 0; n < 5; n++) yield* TestClock.adjust("1 seconds")
      if (taken > 0) quiet = 0
      else {
        yield* TestClock.adjust("55 seconds")
        yield* Effect.provide(Effect.ignore(tick), broken)
        const waiting = yield* (yield* Commands).workableSince((yield* projectIds)[0] ?? "", kinds)
        quiet = waiting === null ? quiet + 1 : 0
      }
    }
  })

const projectIds = Effect.flatMap(Records, (records) =>
  Effect.map(records.list("project", { limit: "all" }), ({ items }) => items.map(({ record }) => record.id))
)

/** From the request of a Candidate to the live app: verified, promoted by itself, released. */
const story = (kind: Machinery, from: number) =>
  run(
    Effect.gen(function* () {
      const project = yield* newProject()
      const settings = yield* Policies.change(
        { type: "user", id: "usr_00000000-0000-4000-8000-000000000001" },
        project.id,
        { autoPromoteRiskTiers: ["low", "medium", "high"], approvalRiskTiers: [] }
      )
      expect(settings).toBeDefined()
      const candidate = yield* askedFor(project.id, "r1", { "a.txt": "a" })
      const { around, asked } = makeOutage(kind, from)
      yield* workers(around)
      const log = yield* (yield* EventLog).read(project.id, 0, 1000)
      return {
        asked,
        letters: (yield* (yield* Commands).deadLetters(project.id)).map((each) => `${each.id}: ${each.lastProblem}`),
        end: {
          candidate: (yield* demand("candidate", candidate.id)).record.status,
          change: (yield* demand("change", candidate.changeId)).record.status,
          pointer: (yield* demand("pointer", `${project.id}/production`)).record.generation,
          head: (yield* demand("head", project.id)).record.syncedGeneration,
          events: log.map((event) => event.type)
        }
      }
    }).pipe(
      Effect.provideService(Settings, { ...settings, smokeRetryMs: 0 }),
      Effect.provide(TestClock.layer()),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  )
const settings = {
  environment: "production" as const,
  appsDomain: "apps.localhost",
  paused: false,
  fixturesEnabled: false,
  buildsPerDay: 60,
  sandboxMsPerMonth: 18_000_000,
  smokeRetryMs: 0,
  appUrl: (host: string) => `http://${host}/`
}

describe("An outage of an hour", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it.each(Object.keys(machinery) as ReadonlyArray<Machinery>)(
    "of the %s, at every step of the main path, leaves no dead letter and changes no end",
    async (kind) => {
      const whole = await story(kind, -1)
      expect(whole.end).toMatchObject({ candidate: "promoted", change: "completed", pointer: 1, head: 1 })
      expect(whole.asked.length).toBeGreaterThan(2)
      const wrong: Array<string> = []
      // The first and the last time of each question: the path repeats itself.
      const places = new Set(whole.asked.flatMap((name) => [whole.asked.indexOf(name), whole.asked.lastIndexOf(name)]))
      for (const from of slice([...places], { quick: 4 })) {
        const found = await story(kind, from)
        if (found.letters.length > 0) wrong.push(`${whole.asked[from]}: ${found.letters.join()}`)
        if (JSON.stringify(found.end) !== JSON.stringify(whole.end))
          wrong.push(`${whole.asked[from]}: ${JSON.stringify(found.end)}`)
      }
      expect(wrong).toEqual([])
    },
    300_000
  )
})
