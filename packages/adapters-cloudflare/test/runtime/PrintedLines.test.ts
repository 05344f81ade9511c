import { AppLogs, type NewLogLine } from "@pawl/core/app/AppLogs"
import { MemoryLedger } from "@pawl/adapters-memory"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { CloudflareLimits } from "@pawl/adapters-cloudflare/CloudflareLimits"
import * as PrintedLines from "@pawl/adapters-cloudflare/runtime/PrintedLines"

const project = "proj_00000000-0000-4000-8000-000000000001"
const version = { id: `${project}@${"a".repeat(40)}`, channel: "production" }
const line = (text: string) => ({ level: "log", source: "console", text }) as const
const numbered = (count: number) => Array.from({ length: count }, (_, at) => line(`${at}`))

const run = (
  use: (
    take: (lines: ReadonlyArray<ReturnType<typeof line>>, dropped?: number) => Effect.Effect<void, unknown>,
    kept: Effect.Effect<ReadonlyArray<NewLogLine>, unknown>
  ) => Effect.Effect<void, unknown>
): Promise<void> =>
  Effect.gen(function* () {
    const logs = yield* AppLogs
    const take = PrintedLines.make()
    // A reader gets a page at a time.
    const kept = Effect.map(Effect.all([logs.read(project, { after: 0 }), logs.read(project, { after: 100 })]), (all) =>
      all.flat()
    )
    yield* use((lines, dropped = 0) => take((all) => logs.append(project, all), version, { lines, dropped }), kept)
  }).pipe(Effect.provide(MemoryLedger.layerMemory), Effect.provide(TestClock.layer()), Effect.scoped, (program) =>
    Effect.runPromise(program as Effect.Effect<void>)
  )

const dropped = (count: number) => ({
  level: "warn",
  source: "limit",
  text: `${count} lines dropped: of an app, 100 lines and 64 KiB a second are kept`,
  version: version.id,
  channel: "production"
})

describe("What an app printed", () => {
  it("is kept with its version, its channel and the time at which it came", () =>
    run((take, kept) =>
      Effect.gen(function* () {
        yield* TestClock.adjust(1500)
        yield* take([line("one"), line("two")])
        expect(yield* kept).toMatchObject(
          ["one", "two"].map((text) => ({
            text,
            version: version.id,
            channel: "production",
            time: "1970-01-01T00:00:01.500Z"
          }))
        )
      })
    ))

  it("is kept up to 100 lines of a second, and what was dropped of it is told once, when the second is over", () =>
    run((take, kept) =>
      Effect.gen(function* () {
        yield* take(numbered(60))
        const first = yield* Effect.forkChild(take(numbered(50)), { startImmediately: true })
        yield* take(numbered(5), 20)
        expect((yield* kept).length).toBe(100)
        yield* TestClock.adjust(CloudflareLimits.tailWindowMs)
        yield* Fiber.join(first)
        expect((yield* kept).at(-1)).toMatchObject(dropped(35))
        yield* take(numbered(3))
        expect((yield* kept).length).toBe(104)
      })
    ))

  it("is kept up to 64 KiB of a second", () =>
    run((take, kept) =>
      Effect.gen(function* () {
        const piece = "ä".repeat(2000)
        const first = yield* Effect.forkChild(take(Array.from({ length: 20 }, () => line(piece))), {
          startImmediately: true
        })
        expect((yield* kept).length).toBe(16)
        yield* TestClock.adjust(CloudflareLimits.tailWindowMs)
        yield* Fiber.join(first)
        expect((yield* kept).at(-1)).toMatchObject(dropped(4))
      })
    ))
})
