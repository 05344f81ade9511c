import { Effect, Logger, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { ServerLimits } from "@pawl/server/ServerLimits"
import * as Meters from "@pawl/core/telemetry/Meters"
import type { EndedSpan } from "@pawl/core/telemetry/SpanTracer"
import * as OtlpExporter from "../../../src/node/telemetry/OtlpExporter.ts"
import { attributesOf, type Collector, startCollector } from "./Collector.ts"
import { ownAddress } from "../../../../adapters-local/test/OwnAddress.ts"

const span = (n: number, fields: Partial<EndedSpan> = {}): EndedSpan => ({
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: n.toString(16).padStart(16, "0"),
  parentSpanId: null,
  name: `span ${n}`,
  kind: "internal",
  startedAt: 1_700_000_000_000_000_000n,
  endedAt: 1_700_000_000_000_000_001n,
  attributes: new Map(),
  outcome: "ok",
  failure: null,
  ...fields
})

/** An exporter to a collector, under a clock that the test moves; with the warnings and notes that it logs. */
const exporting = async <A>(
  endpoint: string,
  body: (given: {
    readonly take: (span: EndedSpan) => void
    readonly meters: Meters.MeterSet
    readonly log: ReadonlyArray<string>
  }) => Effect.Effect<A, unknown>
) => {
  const log: Array<string> = []
  const logger = Logger.layer([Logger.map(Logger.formatLogFmt, (text) => void log.push(text))])
  const meters = Meters.make()
  const collector = {
    endpoint,
    headers: Redacted.make({ "x-key": "collector-secret" }),
    serviceName: "shop",
    serviceVersion: "1.2.3"
  }
  const program = Effect.gen(function* () {
    const { take } = yield* OtlpExporter.make(collector, meters)
    return yield* body({ take, meters, log })
  })
  await Effect.runPromise(Effect.provide(Effect.scoped(program), [TestClock.layer(), logger]))
  return { log, meters }
}

const counts = (meters: Meters.MeterSet) =>
  Object.fromEntries(meters.spans.samples().map(({ labels, value }) => [labels[0], value]))

/** Lets the exporter send, and waits until the collector has answered and the exporter is done with it. */
const sent = (collector: Collector, ms: number = ServerLimits.spansEveryMs) =>
  Effect.gen(function* () {
    const came = collector.next()
    yield* TestClock.adjust(ms)
    yield* Effect.promise(() => came)
  })

/** Until something is so: the exporter hears of an answer a moment after the collector gave it. */
const eventually = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() =>
    holds()
      ? Effect.void
      : Effect.andThen(
          Effect.promise(() => new Promise(setImmediate)),
          eventually(holds)
        )
  )

describe("Spans on their way to a collector", () => {
  it("arrive as OTLP says, with the headers that were given and the service's name", async () => {
    const collector = await startCollector()
    const parent = { parentSpanId: "00000000000000aa", kind: "server" as const }
    const attributes = new Map<string, string | number | boolean>([
      ["text", "a"],
      ["number", 7],
      ["flag", true]
    ])
    const failed = span(2, { outcome: "failed", failure: "Stale" })
    await exporting(collector.endpoint, ({ meters, take }) =>
      Effect.gen(function* () {
        take(span(1, { ...parent, attributes }))
        take(failed)
        yield* sent(collector)
        yield* eventually(() => counts(meters)["sent"] === 2)
      })
    )
    expect(collector.paths).toEqual(["POST /v1/traces"])
    expect(collector.headers[0]).toMatchObject({ "x-key": "collector-secret", "content-type": "application/json" })
    expect(collector.resources).toEqual([
      { "service.name": "shop", "service.version": "1.2.3", "process.pid": process.pid }
    ])
    expect(collector.spans[0]).toMatchObject({
      spanId: "0000000000000001",
      parentSpanId: "00000000000000aa",
      kind: 2,
      startTimeUnixNano: "1700000000000000000",
      status: { code: 1 }
    })
    expect(attributesOf(collector.spans[0]!.attributes)).toEqual({ text: "a", number: 7, flag: true })
    expect(collector.spans[1]).toMatchObject({ kind: 1, status: { code: 2 } })
    expect(collector.spans[1]).not.toHaveProperty("parentSpanId")
    expect(attributesOf(collector.spans[1]!.attributes)).toEqual({ "error.type": "Stale" })
    await collector.close()
  })

  it("wait for a collector that is away: one warning for all the tries, one note when it is back, and none is lost", async () => {
    const collector = await startCollector()
    collector.status = 503
    const { log, meters } = await exporting(collector.endpoint, ({ log, meters, take }) =>
      Effect.gen(function* () {
        take(span(1))
        yield* sent(collector)
        yield* eventually(() => log.length === 1)
        for (let tries = 0; tries < 5; tries++) {
          take(span(2 + tries))
          yield* sent(collector, ServerLimits.spanRetryMs)
        }
        collector.status = 200
        yield* sent(collector, ServerLimits.spanRetryMs)
        yield* eventually(() => counts(meters)["sent"] === 6)
      })
    )
    expect(collector.paths.length).toBeGreaterThanOrEqual(7)
    expect(collector.spans.map((each) => each.name)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `span ${n}`))
    expect(log).toHaveLength(2)
    expect(log[0]).toContain("traces cannot be sent")
    expect(log[1]).toContain("traces are sent again")
    expect(log.join()).not.toContain("collector-secret")
    expect(counts(meters)).toEqual({ sent: 6 })
    await collector.close()
  })

  it("are dropped and counted when too many wait, and when the collector refuses them", async () => {
    const { host, port } = ownAddress()
    const { meters } = await exporting(`http://${host}:${port}`, ({ take }) =>
      Effect.sync(() => {
        for (let n = 0; n < ServerLimits.spansWaiting + 7; n++) take(span(n))
      })
    )
    expect(counts(meters)).toEqual({ dropped: 7 })

    const strict = await startCollector()
    strict.status = 400
    const refused = await exporting(strict.endpoint, ({ meters, take }) =>
      Effect.gen(function* () {
        take(span(1))
        yield* sent(strict)
        yield* eventually(() => counts(meters)["dropped"] === 1)
      })
    )
    expect(refused.log).toHaveLength(1)
    await strict.close()
  })

  it("are sent when the server ends", async () => {
    const collector = await startCollector()
    const { meters } = await exporting(collector.endpoint, ({ take }) => Effect.sync(() => take(span(1))))
    expect(collector.spans).toHaveLength(1)
    expect(counts(meters)).toEqual({ sent: 1 })
    await collector.close()
  })
})
