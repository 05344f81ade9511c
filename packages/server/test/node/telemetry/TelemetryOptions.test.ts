import { Effect, Redacted } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import * as Options from "../../../src/node/Options.ts"

const read = (given: Readonly<Record<string, string>> = {}) => Effect.runPromise(Options.read(given))
const refusal = async (given: Readonly<Record<string, string>>) =>
  (await Effect.runPromise(Effect.flip(Options.read(given)))).message

const standard = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_SERVICE_NAME",
  "OTEL_SDK_DISABLED"
] as const

afterEach(() => {
  for (const name of standard) delete process.env[name]
})

describe("The options of metrics, traces and the access log", () => {
  it("are all off when nothing is said", async () => {
    expect(await read()).toMatchObject({ metrics: false, metricsToken: null, accessLog: false, otlpEndpoint: null })
  })

  it("are known by the names of OpenTelemetry too, which give way to Pawl's own", async () => {
    process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://collector:4318"
    process.env["OTEL_EXPORTER_OTLP_HEADERS"] = "X-Key=a%20secret, other=b=c"
    process.env["OTEL_SERVICE_NAME"] = "shop"
    const options = await read()
    expect(options).toMatchObject({ otlpEndpoint: "http://collector:4318", serviceName: "shop" })
    expect(Redacted.value(options.otlpHeaders)).toEqual({ "x-key": "a secret", other: "b=c" })
    expect(JSON.stringify(options)).not.toContain("secret")
    expect(await read({ otlpEndpoint: "https://own.example" })).toMatchObject({ otlpEndpoint: "https://own.example" })
    process.env["OTEL_SDK_DISABLED"] = "true"
    expect(await read()).toMatchObject({ otlpEndpoint: null })
  })

  it.each([
    ["otlpEndpoint", "collector:4318"],
    ["otlpEndpoint", "ftp://collector"],
    ["otlpEndpoint", "http://user:hidden@collector:4318"],
    ["otlpEndpoint", "http://collector:4318/?key=hidden"],
    ["otlpHeaders", "hidden"],
    ["otlpHeaders", "key=hid%0Aden"],
    ["otlpHeaders", "key=%hidden"],
    ["otlpHeaders", "ke y=hidden"],
    ["metricsToken", "hidden"],
    ["metricsToken", "hidden hidden"]
  ])("are refused with their name, and without what was given: %s %s", async (name, value) => {
    const said = await refusal({ [name]: value })
    expect(said.startsWith(name)).toBe(true)
    expect(said).not.toContain("hid")
  })
})
