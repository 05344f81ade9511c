import { Effect, Option, References } from "effect"
import { describe, expect, it } from "vitest"
import { Commands } from "@pawl/core/work/Commands"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { makeMemoryStore } from "@pawl/adapters-memory/MemoryLedger"
import { execute, type Handlers } from "@pawl/core/work/Processes"
import * as Meters from "@pawl/core/telemetry/Meters"
import { counted, traced } from "@pawl/core/telemetry/ObservedLedger"
import { format, parse } from "@pawl/core/telemetry/TraceContext"
import { type EndedSpan, make } from "@pawl/core/telemetry/SpanTracer"
import { command, commitOf } from "@pawl/testing/tools/StoreFixtures"

/** Runs a program under a tracer, and answers the spans that ended, in that order. */
const traces = async <A>(program: Effect.Effect<A, unknown>) => {
  const spans: Array<EndedSpan> = []
  let drawn = 0
  const tracer = make({
    randomHex: (digits) => (++drawn).toString(16).padStart(digits, "a"),
    ended: (span) => spans.push(span)
  })
  const exit = await Effect.runPromiseExit(Effect.withTracer(program, tracer))
  return { exit, spans, named: (name: string) => spans.filter((span) => span.name === name) }
}

const caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

describe("A trace context", () => {
  it("is read from a header that is one, and written as it was", () => {
    expect(Option.map(parse(caller), format)).toEqual(Option.some(caller))
    const unsampled = caller.replace(/01$/, "00")
    expect(Option.map(parse(unsampled), format)).toEqual(Option.some(unsampled))
  })

  it.each([
    undefined,
    7,
    "",
    caller.toUpperCase(),
    caller.slice(0, -1),
    `${caller}-00`,
    caller.replace(/^00/, "ff"),
    caller.replace("0af7651916cd43dd8448eb211c80319c", "0".repeat(32)),
    caller.replace("b7ad6b7169203331", "0".repeat(16))
  ])("is none for %j", (text) => {
    expect(parse(text)).toEqual(Option.none())
  })
})

describe("A trace", () => {
  it("goes on with a command: through the store, to whoever works on it later", async () => {
    const { services } = makeMemoryStore()
    const handlers: Handlers<never> = { "agent.wake": () => Effect.withSpan(Effect.void, "the work") }
    const sent = Effect.gen(function* () {
      const ledger = traced(yield* Ledger)
      yield* ledger.commit(commitOf({ commands: [command("a")] }))
    }).pipe(Effect.withSpan("the request"))
    const worked = Effect.gen(function* () {
      const [leased] = yield* (yield* Commands).claim({ worker: "w", kinds: ["agent.wake"], limit: 1, leaseMs: 1000 })
      yield* execute(leased!, handlers)
    })
    const request = await traces(Effect.provide(sent, services))
    // Another tracer, as in another process: only the store is shared.
    const work = await traces(Effect.provide(worked, services))
    const [commit] = request.named("Ledger.commit")
    expect(commit).toMatchObject({ parentSpanId: request.named("the request")[0]!.spanId })
    expect(work.named("Processes.execute")).toMatchObject([
      {
        traceId: commit!.traceId,
        parentSpanId: commit!.spanId,
        attributes: new Map([
          ["commandId", "agent.wake:a"],
          ["kind", "agent.wake"],
          ["projectId", commitOf().projectId]
        ])
      }
    ])
    expect(work.named("the work")).toMatchObject([{ traceId: commit!.traceId }])
  })

  it("passes over steps of libraries and keeps what is under them", async () => {
    const inner = Effect.withSpan(Effect.void, "inner")
    const program = inner.pipe(
      Effect.withSpan("sql.execute"),
      Effect.withSpan("http.client GET"),
      Effect.withSpan("outer")
    )
    const { named, spans } = await traces(program)
    expect(spans.map((span) => span.name)).toEqual(["inner", "outer"])
    expect(named("inner")[0]).toMatchObject({
      parentSpanId: named("outer")[0]!.spanId,
      traceId: named("outer")[0]!.traceId
    })
    expect((await traces(Effect.withSpan(inner, "sql.execute"))).spans).toMatchObject([{ parentSpanId: null }])
  })

  it("names what failed, and repeats nothing that it said", async () => {
    const program = Effect.fail(new RangeError("the secret")).pipe(
      Effect.tapCause((cause) => Effect.logDebug("also the secret", cause)),
      Effect.withSpan("failing")
    )
    const { spans } = await traces(program)
    expect(spans).toMatchObject([{ outcome: "failed", failure: "RangeError" }])
    expect(Object.values(spans[0]!).some((value) => String(value).includes("secret"))).toBe(false)
    expect((await traces(Effect.withSpan(Effect.interrupt, "left"))).spans).toMatchObject([
      { outcome: "interrupted", failure: null }
    ])
  })

  it("is left alone by a caller who does not want it recorded", async () => {
    const parent = Option.getOrThrow(parse(caller.replace(/01$/, "00")))
    const { services } = makeMemoryStore()
    const program = Effect.gen(function* () {
      yield* traced(yield* Ledger).commit(commitOf({ commands: [command("a")] }))
      const [leased] = yield* (yield* Commands).claim({ worker: "w", kinds: ["agent.wake"], limit: 1, leaseMs: 1000 })
      yield* execute(leased!, { "agent.wake": () => Effect.withSpan(Effect.void, "the work") })
    }).pipe(Effect.withSpan("unsampled", { parent }))
    expect((await traces(Effect.provide(program, services))).spans).toEqual([])
  })

  it("is not in commands while nothing is traced", async () => {
    const { services } = makeMemoryStore()
    const program = Effect.gen(function* () {
      yield* traced(yield* Ledger).commit(commitOf({ commands: [command("a")] }))
      const [leased] = yield* (yield* Commands).claim({ worker: "w", kinds: ["agent.wake"], limit: 1, leaseMs: 1000 })
      return leased!.command.payload
    }).pipe(Effect.withSpan("with the tracer that is there by default"))
    expect(await Effect.runPromise(Effect.provide(program, services))).toEqual({ subject: "a" })
  })
})

describe("A worker", () => {
  it("writes which command, Project and Change each line of its log is about", async () => {
    const { services } = makeMemoryStore()
    const seen: Array<unknown> = []
    const handlers: Handlers<never> = {
      "change.dispatch": () => Effect.map(References.CurrentLogAnnotations, (all) => void seen.push({ ...all }))
    }
    const program = Effect.gen(function* () {
      const work = command("a", { kind: "change.dispatch", payload: { changeId: "chg_1", other: "kept out" } })
      yield* (yield* Ledger).commit(commitOf({ commands: [work] }))
      const [leased] = yield* (yield* Commands).claim({ worker: "w", kinds: [work.kind], limit: 1, leaseMs: 1000 })
      yield* execute(leased!, handlers)
    })
    await Effect.runPromise(Effect.provide(program, services))
    expect(seen).toEqual([
      { commandId: "agent.wake:a", kind: "change.dispatch", projectId: commitOf().projectId, changeId: "chg_1" }
    ])
  })
})

describe("Counted commits", () => {
  it("count once, however often they are sent", async () => {
    const { services } = makeMemoryStore()
    const meters = Meters.make()
    const step = {
      projectId: commitOf().projectId!,
      generation: 0,
      commit: "0".repeat(40),
      tree: "0".repeat(40),
      candidateId: null,
      changeId: null,
      actor: { type: "system", id: "test" },
      trigger: "seed",
      policyVersion: 1,
      evidenceIds: [],
      approvalId: null,
      promotedAt: "2030-01-01T00:00:00.000Z"
    }
    const commit = Effect.flatMap(Ledger, (ledger) =>
      counted(ledger, meters).commit(
        commitOf({ writes: [{ _tag: "Insert", kind: "generation", record: step as never }] })
      )
    )
    await Effect.runPromise(Effect.provide(Effect.replicateEffect(Effect.result(commit), 3), services))
    expect(meters.promotions.samples()).toEqual([{ labels: ["seeded", "seed"], value: 1 }])
  })
})
