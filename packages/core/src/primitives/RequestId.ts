/** The id of a request, which its answer names and its log has. */
import { makeUlid } from "./Ids.ts"
import { Effect } from "effect"

/** Well-formed ids of callers are kept, so that their logs and ours meet; else it is a new one. */
export const requestIdFor = (given: string | null | undefined): Effect.Effect<string> =>
  given !== undefined && given !== null && /^[A-Za-z0-9._-]{8,100}$/.test(given)
    ? Effect.succeed(given)
    : Effect.map(makeUlid, (id) => `req_${id}`)
