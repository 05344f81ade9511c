/** What is asked of another script comes back as if it were asked here: answers, refusals, and that nobody answers. */
import { ModelRefused, ModelUnavailable } from "@pawl/core/agent/ModelFailures"
import { type Answer, type Ask, Models } from "@pawl/core/agent/Models"
import { Unauthenticated } from "@pawl/core/access/Tokens"
import { type ModelBehaviour, modelsContract } from "@pawl/testing/contracts/agents/ModelsContract"
import { calls, type Script, says } from "@pawl/testing/provider/Script"
import { Effect, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { openModels } from "../../../adapters-models/test/OpenModels.ts"
import { type IdentityProvider, ProviderUnavailable, SignInRefused } from "../../src/http/IdentityProvider.ts"
import { answered, type IdentityCalls, make } from "../../src/workers/RemoteIdentity.ts"
import { layer, type ModelCalls, modelTold } from "../../src/workers/RemoteModels.ts"

/** As a line between scripts carries it: data alone. */
const carried = async <A>(answer: Promise<A>): Promise<A> => structuredClone(await answer)
const nobody = () => Promise.reject(new Error("the script is being replaced"))

const told = { issuer: "https://id.example.com", subject: "jane", names: ["Jane"] }
const endsAt = "2030-01-01T00:00:00.000Z"
const leaving = { returnTo: "/changes", session: null }

const callsTo = ({ flow, verify }: IdentityProvider): IdentityCalls => ({
  verify: (token) => carried(answered(verify(Redacted.make(token)))),
  begin: (given) =>
    carried(answered(Effect.map(flow!.begin(given), ({ kept, url }) => ({ url, kept: Redacted.value(kept) })))),
  finish: (answer, kept) =>
    carried(
      answered(
        Effect.map(flow!.finish(answer, Redacted.make(kept)), ({ state, ...rest }) => ({
          ...rest,
          state: Redacted.value(state)
        }))
      )
    )
})

describe("A provider of identities that another script asks", () => {
  it("says whom a token is for, and where a browser goes and comes back from, with secrets hidden here", async () => {
    const remote = make(
      callsTo({
        verify: (token) => Effect.succeed({ ...told, subject: Redacted.value(token), endsAt }),
        flow: {
          begin: ({ returnTo }) =>
            Effect.succeed({ url: `https://id.example.com${returnTo}`, kept: Redacted.make("k") }),
          finish: (answer, kept) =>
            Effect.succeed({ ...told, ...leaving, returnTo: answer, state: Redacted.make(Redacted.value(kept)) })
        }
      }),
      true
    )
    expect(await Effect.runPromise(remote.verify(Redacted.make("t")))).toEqual({ ...told, subject: "t", endsAt })
    const { kept, url } = await Effect.runPromise(remote.flow!.begin(leaving))
    expect([url, Redacted.value(kept)]).toEqual(["https://id.example.com/changes", "k"])
    const { state, ...rest } = await Effect.runPromise(remote.flow!.finish("/a?code=1", kept))
    expect([rest, Redacted.value(state)]).toEqual([{ ...told, ...leaving, returnTo: "/a?code=1" }, "k"])
  })

  it("refuses in the words that were said there, and has no flow where browsers do not sign in", async () => {
    const remote = make(
      callsTo({
        verify: () => new Unauthenticated({ reason: "expired" }),
        flow: {
          begin: () => new ProviderUnavailable({ reason: "TIMEOUT" }),
          finish: () => new SignInRefused({ reason: "the provider says access_denied" })
        }
      }),
      true
    )
    expect(await Effect.runPromise(Effect.flip(remote.verify(Redacted.make("t"))))).toEqual(
      new Unauthenticated({ reason: "expired" })
    )
    expect(await Effect.runPromise(Effect.flip(remote.flow!.begin(leaving)))).toEqual(
      new ProviderUnavailable({ reason: "TIMEOUT" })
    )
    expect(await Effect.runPromise(Effect.flip(remote.flow!.finish("/", Redacted.make("k"))))).toEqual(
      new SignInRefused({ reason: "the provider says access_denied" })
    )
    expect(make({ verify: nobody, begin: nobody, finish: nobody }, false).flow).toBeNull()
  })

  it("is away while that script is", async () => {
    const remote = make({ verify: nobody, begin: nobody, finish: nobody }, true)
    const asked: ReadonlyArray<Effect.Effect<void, Error>> = [
      Effect.asVoid(remote.verify(Redacted.make("t"))),
      Effect.asVoid(remote.flow!.begin(leaving)),
      Effect.asVoid(remote.flow!.finish("/", Redacted.make("k")))
    ]
    for (const each of asked) expect(await Effect.runPromise(Effect.flip(each))).toBeInstanceOf(ProviderUnavailable)
  })
})

const answer: Answer = {
  text: "yes",
  calls: [{ id: "call_0", name: "read", input: { path: "a" }, raw: '{"path":"a"}' }],
  stop: "tools",
  usage: { input: 1, cacheRead: 2, cacheWrite: 3, output: 4, known: true },
  requestId: "r"
}
const ask: Ask = { callId: "c", tier: "fast", system: "", parts: [], tools: [], mustCall: null, maxOutput: 1 }
const model = { name: "m", contextTokens: 10, prices: { input: 1, cached: 1, output: 1 } }
const tiers = { fast: model, balanced: model, strong: { ...model, name: "s" } }

const asking = (calls: ModelCalls) =>
  Effect.runPromise(
    Effect.flatMap(Models, (models) => Effect.result(models.ask(ask))).pipe(Effect.provide(layer(calls, tiers)))
  )

const usage = { input: 200, cacheRead: 1000, output: 30 }

const scripts: Readonly<Record<ModelBehaviour, Script>> = {
  "calls a tool": () => ({ ...calls("read", { path: "a.js" }), usage }),
  "says text": () => ({ ...says("done"), usage }),
  "is away": () => ({ _tag: "Responds", status: 500 }),
  refuses: () => ({ _tag: "Responds", status: 401 }),
  "is silent": () => ({ _tag: "Silent" })
}

modelsContract("RemoteModels", {
  open: async (behaviour) => {
    const { layer: there, provider } = await openModels("openai-chat", scripts[behaviour])
    const ask: ModelCalls["ask"] = (given) =>
      carried(
        modelTold(
          Effect.provide(
            Effect.flatMap(Models, (models) => models.ask(structuredClone(given))),
            there
          )
        )
      )
    return { layer: layer({ ask }, tiers), asked: () => provider.asked().length }
  }
})

describe("Models that another script asks", () => {
  it("answer, refuse and are away in the words that were said there", async () => {
    const refused = new ModelRefused({ kind: "funds", status: 402, reason: "no money" })
    const away = { kind: "rate", status: 429, retryAfterMs: 7, charged: "no", reason: "too many" } as const
    expect(await asking({ ask: () => carried(modelTold(Effect.succeed(answer))) })).toMatchObject({ success: answer })
    expect(await asking({ ask: () => carried(modelTold(Effect.fail(refused))) })).toMatchObject({ failure: refused })
    const told = await asking({ ask: () => carried(modelTold(Effect.fail(new ModelUnavailable(away)))) })
    expect(told).toMatchObject({ failure: new ModelUnavailable(away) })
  })

  it("count a call that got lost in between as paid", async () => {
    expect(await asking({ ask: nobody })).toMatchObject({
      failure: { _tag: "ModelUnavailable", kind: "network", charged: "unknown" }
    })
  })

  it("are known without being asked", async () => {
    const models = await Effect.runPromise(
      Effect.provide(
        Effect.map(Models, (each) => each),
        layer({ ask: nobody }, tiers)
      )
    )
    expect([models.available, models.of("strong")?.name]).toEqual([true, "s"])
  })
})
