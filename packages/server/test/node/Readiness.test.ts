import { tmpdir } from "node:os"
import { Clock, Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { alone, layerAlone, Notices } from "@pawl/core/ledger/Notices"
import { Records } from "@pawl/core/ledger/Records"
import * as MemoryObjectStore from "@pawl/adapters-memory/MemoryObjectStore"
import { ObjectStore, ObjectStoreUnavailable } from "@pawl/core/objects/ObjectStore"
import * as MemoryRepositories from "@pawl/adapters-memory/MemoryRepositories"
import { Repositories, RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import * as MemorySigner from "@pawl/adapters-memory/MemorySigner"
import type { ProvenanceMode } from "@pawl/core/primitives/Settings"
import { StoreTimeMoved } from "@pawl/core/primitives/StoreTime"
import { Signer, SignerUnavailable } from "@pawl/core/provenance/Signer"
import * as SetClock from "@pawl/testing/tools/SetClock"
import { ServerLimits } from "../../src/ServerLimits.ts"
import type { ServerRole } from "../../src/node/GivenOptions.ts"
import { onlyRoutes } from "../../src/node/Options.ts"
import * as ReadinessCheck from "../../src/node/ReadinessCheck.ts"

const reason = "away"
const parts = Layer.mergeAll(
  MemoryLedger.layerMemory,
  MemoryObjectStore.layerMemory,
  MemoryRepositories.layerMemory,
  MemorySigner.layerMemory,
  layerAlone
)

type Ports = Records | ObjectStore | Repositories | Signer | Notices
const stateWith = (
  broken: (context: Context.Context<Ports>) => Context.Context<Ports>,
  down: ReadonlyArray<string> = [],
  provenance: ProvenanceMode = "warn",
  roles: ReadonlyArray<ServerRole> = ["worker"]
) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const context = broken(yield* Effect.context<Ports>())
      const loops = { supervise: () => Effect.never, down: Effect.succeed(down) }
      const options = { data: tmpdir(), provenance, roles }
      const made = onlyRoutes(options) ? ReadinessCheck.ofRouter(loops, options) : ReadinessCheck.make(loops, options)
      const readiness = yield* Effect.provide(made, context)
      const asking = yield* Effect.forkChild(readiness.state)
      yield* TestClock.adjust(ServerLimits.readyAskMs)
      const before = yield* Fiber.join(asking)
      yield* readiness.stopping
      return [before, yield* readiness.state]
    }).pipe(Effect.provide(parts), Effect.provide(TestClock.layer()))
  )
const notReady = (...missing: ReadonlyArray<string>) => ({ status: "not_ready", missing })
const stopping = { status: "stopping", missing: ["stopping"] }

describe("Whether a process is ready", () => {
  it("is yes while its stores, git and its loops are there, and no once it stops", async () => {
    expect(await stateWith((context) => context)).toEqual([{ status: "ready" }, stopping])
  })

  it.each([
    [
      "database",
      (context: Context.Context<Ports>) =>
        Context.add(context, Records, {
          ...Context.get(context, Records),
          list: () => new LedgerUnavailable({ operation: "list", reason })
        })
    ],
    [
      "object store",
      (context: Context.Context<Ports>) =>
        Context.add(context, ObjectStore, {
          ...Context.get(context, ObjectStore),
          head: (key) => new ObjectStoreUnavailable({ operation: "head", key, reason })
        })
    ],
    [
      "git",
      (context: Context.Context<Ports>) =>
        Context.add(context, Repositories, {
          ...Context.get(context, Repositories),
          main: () => new RepositoriesUnavailable({ operation: "main", reason })
        })
    ],
    [
      "object store",
      (context: Context.Context<Ports>) =>
        Context.add(context, ObjectStore, { ...Context.get(context, ObjectStore), head: () => Effect.never })
    ]
  ])("names what is away: the %s", async (name, broken) => {
    expect(await stateWith(broken)).toEqual([{ status: "not_ready", missing: [name] }, stopping])
  })

  it("names git apart from a database that is away, without which there is nothing to ask it for", async () => {
    const silent = (context: Context.Context<Ports>) =>
      Context.add(context, Records, { ...Context.get(context, Records), list: () => Effect.never }).pipe(
        Context.add(Repositories, {
          ...Context.get(context, Repositories),
          main: () => new RepositoriesUnavailable({ operation: "main", reason })
        })
      )
    expect((await stateWith(silent))[0]).toEqual(notReady("database"))
  })

  it("says so while the database's clock has moved", async () => {
    const moved = (context: Context.Context<Ports>) => Context.add(context, StoreTimeMoved, Effect.succeed(-3_600_400))
    expect((await stateWith(moved))[0]).toEqual(notReady("database clock: moved by -3600 s"))
  })

  it("looks again a second later, whatever became of the time of the day meanwhile", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { clock, set } = yield* SetClock.make
        let down: ReadonlyArray<string> = []
        const loops = { supervise: () => Effect.never, down: Effect.sync(() => down) }
        yield* Effect.gen(function* () {
          const { state } = yield* ReadinessCheck.make(loops, { data: tmpdir(), provenance: "warn", roles: ["api"] })
          expect(yield* state).toEqual({ status: "ready" })
          down = ["worker"]
          yield* set(-3_600_000)
          yield* TestClock.adjust(ServerLimits.readyAgeMs)
          expect(yield* state).toEqual(notReady("worker"))
        }).pipe(Effect.provide(parts), Effect.provideService(Clock.Clock, clock))
      }).pipe(Effect.provide(TestClock.layer()))
    ))

  it("is yes without the notices of other processes, and says so", async () => {
    const broken = (context: Context.Context<Ports>) =>
      Context.add(context, Notices, { ...alone, away: Effect.succeed(reason) })
    expect(await stateWith(broken)).toEqual([{ status: "ready", without: ["notices"] }, stopping])
  })

  it("names loops that have ended", async () => {
    expect(await stateWith((context) => context, ["schedules", "worker"])).toEqual([
      { status: "not_ready", missing: ["schedules", "worker"] },
      stopping
    ])
  })

  it.each([
    ["warn", "worker", { status: "ready" }],
    ["enforce", "worker", { status: "not_ready", missing: ["signer"] }],
    ["enforce", "api", { status: "ready" }]
  ] as const)(
    "tells of a signer that is away only where releases wait for it, and who would sign: %s, %s",
    async (provenance, role, state) => {
      const away = new SignerUnavailable({ reason })
      const broken = (context: Context.Context<Ports>) =>
        Context.add(context, Signer, { keys: Effect.fail(away), sign: () => Effect.fail(away) })
      expect((await stateWith(broken, [], provenance, [role]))[0]).toEqual(state)
    }
  )
})

describe("Whether a process that only routes is ready", () => {
  /** A database that names bundles, and a store that has some of them. */
  const serving =
    (
      named: ReadonlyArray<string | null>,
      readable: (key: string) => Effect.Effect<never, ObjectStoreUnavailable> | null
    ) =>
    (context: Context.Context<Ports>) => {
      const items = named.map((bundleKey) => ({ record: { bundleKey }, revision: 1 }))
      const [records, objects] = [Context.get(context, Records), Context.get(context, ObjectStore)]
      return Context.add(context, Records, {
        ...records,
        list: (kind) => (kind === "pointer" ? Effect.succeed({ items, nextCursor: null } as never) : Effect.die(kind))
      }).pipe(
        Context.add(ObjectStore, { ...objects, head: (key) => readable(key) ?? objects.head(key) }),
        Context.add(Repositories, { ...Context.get(context, Repositories), main: () => Effect.die("it asks no git") })
      )
    }
  const away = (key: string) => Effect.fail(new ObjectStoreUnavailable({ operation: "head", key, reason }))
  const stateOf = async (broken: (context: Context.Context<Ports>) => Context.Context<Ports>) =>
    (await stateWith(broken, [], "enforce", ["router"]))[0]

  it("takes one bundle that it serves and can read, and asks for nothing that it may not", async () => {
    const one = (key: string) => (key === "apps/b" ? null : away(key))
    expect(await stateOf(serving(["apps/a", null, "apps/b"], one))).toEqual({ status: "ready" })
    expect(await stateOf(serving([], away))).toEqual({ status: "ready" })
  })

  it("names the object store when it reads none of them, or is silent, and the database alone when that is away", async () => {
    expect(await stateOf(serving(["apps/a", "apps/b"], away))).toEqual(notReady("object store"))
    expect(await stateOf(serving(["apps/a", "apps/b"], () => Effect.never))).toEqual(notReady("object store"))
    const silent = (context: Context.Context<Ports>) =>
      Context.add(context, Records, { ...Context.get(context, Records), list: () => Effect.never })
    expect(await stateOf(silent)).toEqual(notReady("database"))
  })
})
