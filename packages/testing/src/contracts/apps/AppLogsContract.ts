/** What every AppLogs promises: each Project's lines by themselves, in one dense sequence, and only the newest kept. */
import { type AppLogLine, AppLogs, type LogQuery, type NewLogLine } from "@pawl/core/app/AppLogs"
import { Limits } from "@pawl/core/primitives/Limits"
import { Effect, Exit, Fiber, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { onStore, projectId, race, type StoreFixture, time } from "../../tools/StoreFixtures.ts"

const project = projectId()
const other = projectId(2)
const line = (text: string, fields: Partial<NewLogLine> = {}): NewLogLine => ({
  time,
  channel: "production",
  version: `${project}@${"a".repeat(40)}`,
  level: "log",
  source: "console",
  text,
  ...fields
})
const append = (lines: ReadonlyArray<NewLogLine>, of: string = project) =>
  Effect.flatMap(AppLogs, (logs) => logs.append(of, lines))
const read = (query: LogQuery = {}, of: string = project) => Effect.flatMap(AppLogs, (logs) => logs.read(of, query))
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)
const sequences = (lines: ReadonlyArray<AppLogLine>) => lines.map((each) => each.sequence)
const printed = (count: number) =>
  Effect.forEach(
    numbers(1, count / 100),
    (batch) => append(numbers(1, 100).map((n) => line(`${(batch - 1) * 100 + n}`))),
    { discard: true }
  )

/** Declares the suite. Each of its tests has a store of its own. */
export const appLogsContract = (name: string, fixture: StoreFixture) => {
  const promise = (title: string, body: Parameters<typeof onStore<void, unknown>>[1]) =>
    it(title, () => onStore(fixture, body))

  describe(`${name}: AppLogs`, () => {
    promise(
      "gives back every field of a line, whatever its text, in one dense sequence from 1",
      Effect.gen(function* () {
        const texts = ["", "a\u0000b", "two\nlines", "ä\u{1F9C0}", "'; DROP TABLE x; --", "?", "x".repeat(4096)]
        const lines = [
          ...texts.map((text) => line(text)),
          line("e", { level: "error", source: "exception", channel: "preview:01234567" }),
          line("l", { level: "warn", source: "limit", version: "other", time: "2031-02-03T04:05:06.789Z" })
        ]
        yield* append(lines.slice(0, 4))
        yield* append([])
        yield* append(lines.slice(4))
        expect(yield* read()).toEqual(lines.map((each, n) => ({ ...each, sequence: n + 1 })))
        expect(yield* read({}, other)).toEqual([])
      })
    )

    promise(
      "answers the newest lines, or those after a sequence from the oldest on, at most a page",
      Effect.gen(function* () {
        yield* printed(300)
        expect(sequences(yield* read())).toEqual(numbers(201, 300))
        expect(sequences(yield* read({ limit: 3 }))).toEqual([298, 299, 300])
        expect(sequences(yield* read({ after: 0 }))).toEqual(numbers(1, 100))
        expect(sequences(yield* read({ after: 250, limit: 10 }))).toEqual(numbers(251, 260))
        expect(sequences(yield* read({ after: 295 }))).toEqual(numbers(296, 300))
        expect(yield* read({ after: 300 })).toEqual([])
        expect(yield* read({ after: 9_000_000_000_000_000 })).toEqual([])
        expect(sequences(yield* read({ limit: 5000 }))).toEqual(numbers(201, 300))
      })
    )

    promise(
      "answers one channel when asked",
      Effect.gen(function* () {
        yield* append([line("1"), line("2", { channel: "preview:01234567" }), line("3")])
        const channel = "preview:01234567"
        expect(sequences(yield* read({ channel }))).toEqual([2])
        expect(sequences(yield* read({ after: 1, channel: "production" }))).toEqual([3])
        expect(yield* read({ channel: "preview:%" })).toEqual([])
      })
    )

    promise(
      "keeps the newest 1,000 lines of a Project, and takes none of another's",
      Effect.gen(function* () {
        yield* append([line("theirs")], other)
        yield* printed(1000)
        yield* append([line("1001"), line("1002")])
        const oldest = yield* read({ after: 0, limit: 1 })
        expect(oldest).toMatchObject([{ sequence: 3, text: "3" }])
        const pages = yield* Effect.forEach(numbers(0, 10), (n) => read({ after: n * 100 }))
        expect(new Set(sequences(pages.flat()))).toEqual(new Set(numbers(3, 2 + Limits.appLogLines)))
        expect(yield* read({}, other)).toMatchObject([{ sequence: 1, text: "theirs" }])
      })
    )

    promise(
      "wipes a Project's lines and nothing else; the sequence goes on",
      Effect.gen(function* () {
        yield* append([line("1"), line("2")])
        yield* append([line("theirs")], other)
        const logs = yield* AppLogs
        yield* logs.wipe(project)
        yield* logs.wipe(project)
        expect(yield* read()).toEqual([])
        expect(yield* read({}, other)).toHaveLength(1)
        yield* append([line("3")])
        expect(yield* read({ after: 2 })).toMatchObject([{ sequence: 3, text: "3" }])
      })
    )

    promise(
      "gives every line its own place when 16 fibers append at once, and keeps each batch together",
      Effect.gen(function* () {
        const appended = yield* race(numbers(1, 16).map((n) => append([line(`${n} a`), line(`${n} b`)])))
        expect(appended.filter(Exit.isSuccess)).toHaveLength(16)
        const lines = yield* read()
        expect(sequences(lines)).toEqual(numbers(1, 32))
        for (const each of lines.filter((_, at) => at % 2 === 0))
          expect(lines[each.sequence]?.text).toBe(each.text.replace("a", "b"))
      })
    )

    promise(
      "follows: what is there, then each new line, of all channels or of one",
      Effect.gen(function* () {
        const logs = yield* AppLogs
        yield* printed(200)
        const all = yield* Effect.forkChild(Stream.runCollect(Stream.take(logs.follow(project, { after: 50 }), 152)))
        const channel = "preview:01234567"
        const one = yield* Effect.forkChild(
          Stream.runCollect(Stream.take(logs.follow(project, { after: 0, channel }), 1))
        )
        yield* Effect.yieldNow
        yield* append([line("201", { channel }), line("202")])
        expect(sequences(yield* Fiber.join(all))).toEqual(numbers(51, 202))
        expect(sequences(yield* Fiber.join(one))).toEqual([201])
      })
    )
  })
}
