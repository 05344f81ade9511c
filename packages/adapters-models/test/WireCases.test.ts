/** What providers do and lie about, in both wire forms: each has a type, and none loses a paid answer. */
import type { Part } from "@pawl/core/agent/Models"
import { calls, inTurn, says, type Turn } from "@pawl/testing/provider/Script"
import { describe, expect, it, vi } from "vitest"
import { dialects } from "@pawl/adapters-models/ModelEndpoint"
import { ModelsLimits } from "@pawl/adapters-models/ModelsLimits"
import { key, openModels } from "./OpenModels.ts"

const talk = (text: string, failed = false): ReadonlyArray<Part> => [
  { _tag: "User", text: "Read it." },
  {
    _tag: "Assistant",
    text: "",
    calls: [{ id: "call_1", name: "read", input: { path: "a.js" }, raw: '{"path":"a.js"}' }]
  },
  { _tag: "ToolResult", id: "call_1", text, failed }
]

describe.each(dialects)("%s", (dialect) => {
  const open = (...turns: readonly [Turn, ...ReadonlyArray<Turn>]) => openModels(dialect, inTurn(...turns))

  it("1 goes round: a question, a call, its result, the words", async () => {
    const { ask, provider } = await open(calls("read", { path: "a.js" }), says("done"))
    const first = await ask()
    expect(first.calls).toEqual([
      { id: expect.stringMatching(/.+/), name: "read", input: { path: "a.js" }, raw: '{"path":"a.js"}' }
    ])
    const second = await ask({
      callId: "mc_run_2_1",
      parts: [
        { _tag: "User", text: "Read it." },
        { _tag: "Assistant", text: first.text, calls: first.calls },
        { _tag: "ToolResult", id: first.calls[0]!.id, text: "1 let a", failed: false }
      ]
    })
    expect([second.text, second.stop]).toEqual(["done", "end"])
    expect(
      provider.asked().map(({ callId, last, model, results, tools }) => ({ callId, last, model, results, tools }))
    ).toEqual([
      { callId: "mc_run_1_1", last: "Read a.js.", model: "model-balanced", results: 0, tools: ["read"] },
      { callId: "mc_run_2_1", last: "1 let a", model: "model-balanced", results: 1, tools: ["read"] }
    ])
  })

  it("takes no trace along: who is asked has no part in it", async () => {
    const { ask, provider } = await open(says("done"))
    await ask()
    const names = Object.keys(provider.asked()[0]?.headers ?? {})
    expect(names).toContain("idempotency-key")
    expect(names.filter((name) => /^(traceparent|tracestate|b3|x-b3-)/.test(name))).toEqual([])
  })

  it("2 tells what was read from a cache and written to it, and never counts it twice", async () => {
    const { ask } = await open({ ...says("done"), usage: { input: 200, cacheRead: 1000, cacheWrite: 300, output: 30 } })
    expect((await ask()).usage).toEqual({
      input: 200,
      cacheRead: 1000,
      cacheWrite: dialect === "anthropic-messages" ? 300 : 0,
      output: 30,
      known: true
    })
  })

  it("3 keeps arguments that are no JSON as they were sent, and the answer", async () => {
    const raw = '{"path": "a.js", '
    const { ask } = await open({ _tag: "Says", text: "I look.", calls: [{ name: "read", raw }] })
    const answer = await ask()
    expect(answer.calls[0]).toMatchObject({ name: "read", input: null, raw })
    expect([answer.text, answer.usage.known]).toEqual(["I look.", true])
  })

  it("4 hands on arguments of the wrong shape", async () => {
    const { ask } = await open(calls("read", { file: 3 }))
    expect((await ask()).calls[0]).toMatchObject({ name: "read", input: { file: 3 } })
  })

  it("5 hands on the call of a tool that there is not", async () => {
    const { ask } = await open(calls("rm_rf", {}))
    expect((await ask()).calls[0]).toMatchObject({ name: "rm_rf", input: {} })
  })

  it("6 reads an answer of only the needed fields, and names calls without an id", async () => {
    const { ask } = await open({
      _tag: "Says",
      minimal: true,
      calls: [
        { name: "read", input: { path: "a" }, id: null },
        { name: "read", input: { path: "b" }, id: null }
      ]
    })
    expect((await ask()).calls.map(({ id }) => id)).toEqual(["call_0", "call_1"])
  })

  it("7 leaves out what it does not know, and keeps the rest", async () => {
    const { ask } = await open({ ...says("done"), strange: true })
    expect((await ask()).text).toBe("done")
  })

  it("8 takes a reason to stop that it does not know for another one", async () => {
    const { ask } = await open({ ...says("done"), stop: "brand_new_stop" })
    expect((await ask()).stop).toBe("other")
  })

  it("9 says of 429 that it was not charged, and how long to wait", async () => {
    const limited = (after: string): Turn => ({ _tag: "Responds", status: 429, headers: { "retry-after": after } })
    const { failure, provider } = await open(limited("7"), limited("soon"))
    expect((await failure()).failure).toMatchObject({ kind: "rate", status: 429, charged: "no", retryAfterMs: 7000 })
    expect((await failure()).failure).toMatchObject({ kind: "rate", retryAfterMs: null })
    expect(provider.asked()).toHaveLength(2)
  })

  it("10 says of 529 that it was not charged, and of 503 that nobody knows", async () => {
    const { failure } = await open({ _tag: "Responds", status: 529 }, { _tag: "Responds", status: 503 })
    expect((await failure()).failure).toMatchObject({ _tag: "ModelUnavailable", kind: "overloaded", charged: "no" })
    expect((await failure()).failure).toMatchObject({
      _tag: "ModelUnavailable",
      kind: "overloaded",
      charged: "unknown"
    })
  })

  it.each([500, 502, 408])("11 says of %i that nobody knows whether it was charged", async (status) => {
    const { failure } = await open({ _tag: "Responds", status })
    expect((await failure()).failure).toMatchObject({
      _tag: "ModelUnavailable",
      kind: "server",
      charged: "unknown",
      status
    })
  })

  it("12 says that an answer broke off, and does not ask again", async () => {
    const { failure, provider } = await open({ _tag: "Cuts" })
    expect((await failure()).failure).toMatchObject({ _tag: "ModelUnavailable", kind: "cut", charged: "unknown" })
    expect(provider.asked()).toHaveLength(1)
  })

  it.each([
    [401, "credentials"],
    [403, "credentials"],
    [402, "funds"],
    [404, "request"]
  ] as const)("13 says of %i that it is refused: %s", async (status, kind) => {
    const body = JSON.stringify({ error: { message: `Incorrect API key provided: ${key}` } })
    const { failure, provider } = await open({ _tag: "Responds", status, body })
    const { failure: said, told } = await failure()
    expect(said).toMatchObject({
      _tag: "ModelRefused",
      kind,
      status,
      reason: `${status} Incorrect API key provided: …`
    })
    expect(told).not.toContain(key)
    expect(provider.asked()).toHaveLength(1)
  })

  it.each([
    [400, "This model's maximum context length is 128000 tokens."],
    [400, "prompt is too long: 210000 tokens > 200000 maximum"],
    [400, "input length and `max_tokens` exceed context limit"],
    [413, "request_too_large"]
  ] as const)("14 knows a request that is too long: %i %s", async (status, message) => {
    const { failure } = await open({ _tag: "Responds", status, body: JSON.stringify({ error: { message } }) })
    expect((await failure()).failure).toMatchObject({ _tag: "ModelRefused", kind: "too_long" })
  })

  it("14 takes a parameter that is not known for no such request", async () => {
    const message = "Unsupported parameter: 'max_tokens' is not supported with this model."
    const { failure } = await open({ _tag: "Responds", status: 400, body: JSON.stringify({ error: { message } }) })
    expect((await failure()).failure).toMatchObject({ _tag: "ModelRefused", kind: "request" })
  })

  it.each([
    ["a proxy's page", "<html>Welcome</html>", "server"],
    ["no words at all", "", "server"],
    ["a list", "[1, 2]", "server"],
    ["an object of another kind", '{"ok":true}', "server"],
    ["half an object", '{"choices": [', "cut"]
  ] as const)("15 takes %s with 200 for no answer, perhaps charged", async (_, body, kind) => {
    const { failure } = await open({ _tag: "Responds", status: 200, body })
    expect((await failure()).failure).toMatchObject({ _tag: "ModelUnavailable", kind, charged: "unknown" })
  })

  it.each([
    ["none", null, undefined],
    ["words", undefined, { prompt_tokens: "many", completion_tokens: "few", input_tokens: "many", output_tokens: [] }],
    ["negative", undefined, { prompt_tokens: -1, completion_tokens: 5, input_tokens: -1, output_tokens: 5 }],
    ["a text", undefined, "1200"]
  ] as const)("15 says that usage is not known when it is %s", async (_, usage, wrongUsage) => {
    const { ask } = await open({ ...says("done"), ...(usage === null ? { usage } : { wrongUsage }) })
    const answer = await ask()
    expect(answer.text).toBe("done")
    expect(answer.usage).toEqual({ input: 0, cacheRead: 0, cacheWrite: 0, output: 0, known: false })
  })

  it("sends failed results, empty words and calls as the wire form wants them", async () => {
    const { ask, provider } = await open(says("done"))
    await ask({ parts: talk("no such file", true) })
    const [asked] = provider.asked()
    expect([asked?.results, asked?.last]).toEqual([1, "no such file"])
    expect(asked?.text).toContain(dialect === "openai-chat" ? '"content":null' : '"is_error":true')
  })

  it("asks for one tool when it must be called", async () => {
    const { ask, provider } = await open(calls("read", {}))
    await ask({ mustCall: "read" })
    await ask()
    expect(provider.asked().map(({ body }) => body["tool_choice"])).toEqual(
      dialect === "openai-chat"
        ? [{ type: "function", function: { name: "read" } }, "auto"]
        : [{ type: "tool", name: "read" }, { type: "auto" }]
    )
  })

  it("takes no answer that is larger than it may be", async () => {
    const { failure } = await open(says("x".repeat(ModelsLimits.answerBytes)))
    expect((await failure()).failure).toMatchObject({
      kind: "server",
      charged: "unknown",
      reason: "its answer is too large"
    })
  })

  it("says that nothing was charged when there was no connection, and that nobody knows when one broke", async () => {
    const gone = await open(says("done"))
    await gone.provider.close()
    expect((await gone.failure()).failure).toMatchObject({ kind: "network", charged: "no" })
    const silent = await open({ _tag: "Silent" })
    const failing = silent.failure()
    await vi.waitUntil(() => silent.provider.asked().length === 1, 20_000)
    await silent.provider.close()
    expect((await failing).failure).toMatchObject({ kind: "network", charged: "unknown" })
  })

  it("follows no redirect, and takes the key nowhere", async () => {
    const other = await open(says("stolen"))
    const location = `${other.provider.url}/messages`
    const { failure } = await open({ _tag: "Responds", status: 307, headers: { location } })
    expect((await failure()).failure).toMatchObject({ _tag: "ModelRefused", kind: "request", status: 307 })
    expect(other.provider.asked()).toEqual([])
  })
})

it("marks the end of the system's words and the end of all words for the cache, where the wire form has marks", async () => {
  const { ask, provider } = await openModels("anthropic-messages", () => says("done"))
  await ask({ parts: talk("1 let a") })
  const body = JSON.stringify(provider.asked()[0]?.body)
  expect(body.match(/"cache_control":\{"type":"ephemeral"\}/g)).toHaveLength(2)
  expect(body).toMatch(/"is_error":false,"cache_control":\{"type":"ephemeral"\}\}\]\}\]/)
})
