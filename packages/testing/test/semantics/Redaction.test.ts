import { Cause, Effect, Exit, Formatter, Logger, References, Redacted, Schema } from "effect"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"

const words = "hunter2-and-more"
const secret = Redacted.make(words)

class Refused extends Schema.TaggedError<Refused>()("Refused", { token: Schema.Redacted(Schema.String) }) {}

/** All that every logger makes of a program, together. */
const logged = async (program: Effect.Effect<void>) => {
  const lines: Array<string> = []
  const into = <O>(logger: Logger.Logger<unknown, O>) =>
    Logger.map(
      logger,
      (line) =>
        void lines.push(typeof line === "string" ? line : `${JSON.stringify(line)} ${inspect(line, { depth: 9 })}`)
    )
  const loggers = [
    into(Logger.formatJson),
    into(Logger.formatLogFmt),
    into(Logger.formatSimple),
    into(Logger.formatStructured)
  ]
  await Effect.runPromise(
    Effect.provide(Effect.provideService(program, References.MinimumLogLevel, "All"), Logger.layer(loggers))
  )
  expect(lines).toHaveLength(loggers.length)
  return lines.join("\n")
}

describe("A redacted value", () => {
  it.each<readonly [string, Effect.Effect<void>]>([
    ["a message", Effect.logInfo("token", secret)],
    ["a value within a message", Effect.logInfo({ deep: [{ secret }] })],
    ["an annotation", Effect.annotateLogs(Effect.logInfo("x"), { secret })],
    ["a value within an annotation", Effect.annotateLogs(Effect.logInfo("x"), "deep", { list: [secret] })],
    ["a cause that is a failure", Effect.logError(Cause.fail(secret))],
    ["a cause with a value in its failure", Effect.logError(Cause.fail({ token: secret }))],
    ["a cause with a tagged error", Effect.logError(Cause.fail(new Refused({ token: secret })))],
    ["a cause that is a defect", Effect.logError(Cause.die({ token: secret }))]
  ])("is not in the log as %s, and its place is", async (place, program) => {
    const text = await logged(program)
    expect(text).not.toContain(words)
    // The words of a tagged error are its own: its fields are no part of them.
    if (!place.includes("tagged")) expect(text.split("redacted").length).toBeGreaterThan(4)
  })

  it.each<readonly [string, (value: unknown) => string]>([
    ["String", (value) => String(value)],
    ["JSON", (value) => JSON.stringify(value)],
    ["node:util", (value) => inspect(value, { depth: 9, showHidden: true })],
    ["Effect's formatter", (value) => `${Formatter.format(value)} ${Formatter.formatJson(value)}`]
  ])("is not in what %s makes of it, or of what holds it", (_what, print) => {
    const holders = [secret, [secret], { secret }, new Map([["a", secret]]), new Refused({ token: secret })]
    const causes = holders.flatMap((each) => [Cause.fail(each), Cause.die(each)])
    for (const each of [...holders, ...causes, ...causes.map(Exit.failCause)]) expect(print(each)).not.toContain(words)
  })

  it("is not in the words of a cause", () => {
    for (const each of [secret, { secret }, new Refused({ token: secret })])
      expect(Cause.pretty(Cause.combine(Cause.fail(each), Cause.die(each)))).not.toContain(words)
  })

  it("is not in what a shape says of an input that it refuses", () => {
    const long = Schema.RedactedFromValue(Schema.String.check(Schema.isMinLength(100)))
    const number = Schema.RedactedFromValue(Schema.Finite)
    for (const token of [long, number]) {
      const exit = Effect.runSyncExit(Schema.decodeUnknownEffect(Schema.Struct({ token }))({ token: words }))
      expect(Exit.isFailure(exit)).toBe(true)
      expect(`${String(exit)} ${Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""}`).not.toContain(words)
    }
  })

  it("is told apart and read only by who asks for it", () => {
    expect(Redacted.value(secret)).toBe(words)
    expect(Object.keys(secret)).not.toContain("value")
    expect(Object.values(secret)).not.toContain(words)
  })
})
