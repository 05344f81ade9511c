/** A PointerSignal that keeps what it was told, for tests and for hosts that ask instead of listening. */
import { Effect, Layer } from "effect"
import { PointerSignal } from "@pawl/core/app/PointerSignal"

/** A signal, and what it was told. */
export interface Heard {
  readonly layer: Layer.Layer<never>
  /** The labels that moved since the last call, in order. */
  readonly take: () => ReadonlyArray<string>
}

/** A signal of its own, which has heard nothing yet. */
export const make = (): Heard => {
  const labels: Array<string> = []
  return {
    layer: Layer.succeed(PointerSignal, { moved: (label) => Effect.sync(() => void labels.push(label)) }),
    take: () => labels.splice(0)
  }
}
