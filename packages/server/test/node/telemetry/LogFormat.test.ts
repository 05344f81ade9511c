import { Effect, Layer, Logger } from "effect"
import { describe, expect, it } from "vitest"
import { layerQuiet } from "../../../src/node/telemetry/LogFormat.ts"

describe("A quiet log", () => {
  it("tells warnings and errors, and nothing else", () => {
    const told: Array<string> = []
    const collecting = Logger.layer([Logger.make(({ logLevel }) => void told.push(logLevel))])
    const program = Effect.all([
      Effect.logDebug("a detail"),
      Effect.logInfo("news"),
      Effect.logWarning("a worry"),
      Effect.logError("a failure"),
      Effect.logFatal("the end")
    ])
    Effect.runSync(Effect.provide(program, Layer.merge(collecting, layerQuiet)))
    expect(told).toEqual(["Warn", "Error", "Fatal"])
  })
})
