import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import * as Options from "@pawl/server/node/Options"

const folder = mkdtempSync(join(tmpdir(), "pawl-model-options-"))
afterAll(() => rmSync(folder, { recursive: true }))

type Given = Readonly<Record<string, string>>
const set = new Set<string>()
const environment = (values: Given): void => {
  for (const [name, value] of Object.entries(values)) {
    set.add(name)
    process.env[name] = value
  }
}
afterEach(() => {
  for (const name of set) delete process.env[name]
})

const read = (values: Given) => {
  environment(values)
  return Effect.runPromise(Options.read({}))
}
const refusal = async (values: Given, config?: string) => {
  environment(values)
  return (await Effect.runPromise(Effect.flip(Options.read({}, config)))).message
}

const url = { PAWL_MODEL_URL: "http://127.0.0.1:9/v1" }
const key = "sk-a-key-that-nobody-may-see"
const prices = { input: 3, cached: 0.3, output: 15 }
const free = { input: 0, cached: 0, output: 0 }

describe("The options of language models", () => {
  it("name none by themselves: Changes wait for people", async () =>
    expect(await read({})).toMatchObject({ models: null, agentDailyCallCap: 500, agentsAtOnce: 8 }))

  it("need a URL and one model, which serves every tier for nothing where there is no key", async () => {
    const { models } = await read({ PAWL_MODEL_URL: "http://127.0.0.1:9/v1/", PAWL_MODEL_BALANCED: "llama" })
    const served = { name: "llama", contextTokens: 128_000, prices: free }
    expect(models).toEqual({
      endpoint: { dialect: "openai-chat", url: url.PAWL_MODEL_URL, key: null },
      tiers: { fast: served, balanced: served, strong: served }
    })
  })

  it.each([
    [["STRONG"], { fast: "STRONG", balanced: "STRONG", strong: "STRONG" }],
    [["FAST"], { fast: "FAST", balanced: "FAST", strong: "FAST" }],
    [["FAST", "STRONG"], { fast: "FAST", balanced: "STRONG", strong: "STRONG" }],
    [["FAST", "BALANCED"], { fast: "FAST", balanced: "BALANCED", strong: "BALANCED" }],
    [["BALANCED", "STRONG"], { fast: "BALANCED", balanced: "BALANCED", strong: "STRONG" }]
  ])("give a tier without a model that of the next stronger, else of the next weaker: %s", async (named, serve) => {
    const { models } = await read({ ...url, ...Object.fromEntries(named.map((name) => [`PAWL_MODEL_${name}`, name])) })
    const names = Object.entries(models!.tiers).map(([tier, { name }]) => [tier, name])
    expect(Object.fromEntries(names)).toEqual(serve)
  })

  it("read the prices of each tier, and give a tier without one that of the model that it has", async () => {
    const { models } = await read({
      ...url,
      PAWL_MODEL_DIALECT: "anthropic-messages",
      PAWL_MODEL_KEY: key,
      PAWL_MODEL_FAST: "small",
      PAWL_MODEL_STRONG: "large",
      PAWL_MODEL_PRICES: "fast=0, strong = 3/0.3/15",
      PAWL_MODEL_CONTEXT: "200000"
    })
    expect(models!.tiers).toEqual({
      fast: { name: "small", contextTokens: 200_000, prices: free },
      balanced: { name: "large", contextTokens: 200_000, prices },
      strong: { name: "large", contextTokens: 200_000, prices }
    })
    expect(models!.endpoint.dialect).toBe("anthropic-messages")
    expect(Redacted.value(models!.endpoint.key!)).toBe(key)
    expect(JSON.stringify(models)).not.toContain(key)
  })

  it("take one 0 for all tiers", async () => {
    const given = { ...url, PAWL_MODEL_KEY: key, PAWL_MODEL_STRONG: "m", PAWL_MODEL_PRICES: "0" }
    expect((await read(given)).models!.tiers.fast.prices).toEqual(free)
  })

  it("take the daily cap by the specification's name too, and by our own first", async () => {
    expect(await read({ AGENT_DAILY_CALL_CAP: "7" })).toMatchObject({ agentDailyCallCap: 7 })
    expect(await read({ PAWL_AGENT_DAILY_CALL_CAP: "0" })).toMatchObject({ agentDailyCallCap: 0 })
  })

  it.each([
    { said: "PAWL_MODEL_PRICES", why: "a key without prices", given: { ...url, PAWL_MODEL_STRONG: "m" } },
    { said: "PAWL_MODEL_PRICES", why: "a key without prices, and nothing else", given: {} },
    {
      said: "balanced has no price",
      why: "a model without a price",
      given: { ...url, PAWL_MODEL_BALANCED: "m", PAWL_MODEL_STRONG: "n", PAWL_MODEL_PRICES: "strong=3/0.3/15" }
    },
    { said: "PAWL_MODEL_URL", why: "no URL", given: { PAWL_MODEL_STRONG: "m", PAWL_MODEL_PRICES: "0" } },
    { said: "name a model", why: "no model", given: { ...url, PAWL_MODEL_PRICES: "0" } }
  ])("are refused with a key, and without repeating it: $why", async ({ given, said }) => {
    const words = await refusal({ PAWL_MODEL_KEY: key, ...given })
    expect(words).toContain(said)
    expect(words).not.toContain(key)
  })

  it.each(["strong", "strong=", "strong=3", "strong=3/1", "strong=3/1/2/3", "strong=-1/0/0", "strong=a/b/c", "best=0"])(
    "are refused with prices that cannot be read: %s",
    async (text) =>
      expect(await refusal({ ...url, PAWL_MODEL_STRONG: "m", PAWL_MODEL_PRICES: text })).toBe(
        "modelPrices (PAWL_MODEL_PRICES): use fast=in/cached/out,balanced=…,strong=… in USD per million tokens, or 0 for free"
      )
  )

  it.each(["sk\n1", "sk-ü", "a b"])(
    "are refused with a key that no header can hold, and without repeating it",
    async (text) => {
      const given = { ...url, PAWL_MODEL_STRONG: "m", PAWL_MODEL_PRICES: "0", PAWL_MODEL_KEY: text }
      expect(await refusal(given)).toBe(
        "modelKey (PAWL_MODEL_KEY): a key is one line of visible ASCII characters, without blanks"
      )
    }
  )

  it("are refused when a tier has two prices", async () =>
    expect(await refusal({ ...url, PAWL_MODEL_STRONG: "m", PAWL_MODEL_PRICES: "strong=0,strong=0" })).toContain(
      "strong stands there twice"
    ))

  it.each(["ftp://h/v1", "nothing", "http://user:pass@h/v1", "http://h/v1?x=1", "http://h/v1/chat/completions"])(
    "are refused with a URL that is no base of calls: %s",
    async (text) => expect(await refusal({ PAWL_MODEL_URL: text, PAWL_MODEL_STRONG: "m" })).toContain("PAWL_MODEL_URL")
  )

  it.each([
    { PAWL_MODEL_DIALECT: "grpc" },
    { PAWL_MODEL_CONTEXT: "0" },
    { PAWL_AGENTS_AT_ONCE: "0" },
    { PAWL_AGENT_DAILY_CALL_CAP: "many" }
  ])("are refused with their names: %s", async (given) => {
    const [name = ""] = Object.keys(given)
    expect(await refusal({ ...url, PAWL_MODEL_STRONG: "m", ...given })).toContain(name)
  })

  it("keep a key out of the config file", async () => {
    const path = join(folder, "pawl.config.json")
    writeFileSync(path, JSON.stringify({ modelKey: key }))
    expect(await refusal({}, path)).toBe("modelKey: it is taken from the environment alone (PAWL_MODEL_KEY)")
  })
})
