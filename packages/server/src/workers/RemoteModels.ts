/**
 * Models for objects that hold Projects: what asks them is another script, which alone has their key. Over RPC errors lose
 * their fields, so an answer says by itself what it is.
 */
import { ModelRefused, ModelUnavailable } from "@pawl/core/agent/ModelFailures"
import { type Answer, type Ask, Models, type ModelsShape } from "@pawl/core/agent/Models"
import { Effect, Layer } from "effect"
import type { ModelChoice } from "./Bindings.ts"

/** What was answered, or why not. */
export type ModelTold =
  | { readonly _tag: "Answer"; readonly answer: Answer }
  | { readonly _tag: "Refused"; readonly why: Pick<ModelRefused, "kind" | "status" | "reason"> }
  | {
      readonly _tag: "Unavailable"
      readonly why: Pick<ModelUnavailable, "kind" | "status" | "retryAfterMs" | "charged" | "reason">
    }

/** What may be asked of it. */
export interface ModelCalls {
  readonly ask: (ask: Ask) => Promise<ModelTold>
}

/** An answer for the line. */
export const modelTold = (effect: ReturnType<ModelsShape["ask"]>): Promise<ModelTold> =>
  Effect.runPromise(
    Effect.match(effect, {
      onSuccess: (answer): ModelTold => ({ _tag: "Answer", answer }),
      onFailure: (failure): ModelTold => {
        const { reason, status } = failure
        if (failure._tag === "ModelRefused") return { _tag: "Refused", why: { kind: failure.kind, status, reason } }
        const { charged, retryAfterMs } = failure
        return { _tag: "Unavailable", why: { kind: failure.kind, status, retryAfterMs, charged, reason } }
      }
    })
  )

/** Whether it got there, nobody knows: it counts as paid. */
const lost = () =>
  new ModelUnavailable({
    kind: "network",
    status: null,
    retryAfterMs: null,
    charged: "unknown",
    reason: "the script that asks models does not answer"
  })

const asked = (calls: ModelCalls, ask: Ask): ReturnType<ModelsShape["ask"]> =>
  Effect.flatMap(
    Effect.tryPromise({ try: () => calls.ask(ask), catch: lost }),
    (told): ReturnType<ModelsShape["ask"]> => {
      switch (told._tag) {
        case "Answer":
          return Effect.succeed(told.answer)
        case "Refused":
          return Effect.fail(new ModelRefused(told.why))
        case "Unavailable":
          return Effect.fail(new ModelUnavailable(told.why))
      }
    }
  )

/** Fills `Models`; which there are is known here. */
export const layer = (calls: ModelCalls, tiers: ModelChoice["tiers"]): Layer.Layer<never> =>
  Layer.succeed(Models, { available: true, of: (tier) => tiers[tier], ask: (ask) => asked(calls, ask) })
