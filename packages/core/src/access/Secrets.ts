/** Bytes that nobody can guess: what tokens are made of. Effect's own `Random` is for ids, not for secrets. */
import { Context, type Effect } from "effect"

/** The source of the texts of tokens and of the secrets of webhooks. */
export class Secrets extends Context.Service<
  Secrets,
  {
    /** `count` bytes from a cryptographic source. */
    readonly bytes: (count: number) => Effect.Effect<Uint8Array>
  }
>()("@pawl/core/access/Secrets") {}
