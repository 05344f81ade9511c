/** `/__service/provenance.json`: what a host serves, and what vouches for it. */
import type { AppResponse } from "@pawl/core/app/AppRuntime"
import type { Pointer } from "@pawl/core/model/Pointer"
import { Context, Effect } from "effect"
import { BytesBody } from "./Body.ts"
import type { Verdict } from "./ReleaseChecks.ts"

/** The one path under `/__service/` that answers. */
export const statementPath = "/__service/provenance.json"

/** Where a router takes from what it says of a row. */
export const ReleaseStatement = Context.Reference("@pawl/router/ReleaseStatement", {
  defaultValue: () => ({
    /**
     * JSON; null where nobody is to be told. It never fails: what cannot be read now is left out. The `Authorization` of
     * who asks may have more told; no other request of a visitor is looked at for one.
     */
    of: (_row: Pointer, _verdict: Verdict, _authorization: string | undefined): Effect.Effect<string | null> =>
      Effect.succeed(null)
  })
})

const encoder = new TextEncoder()

/** The answer that holds it. Pages of others may read it: they have no credentials to send along. */
export const jsonPage = (text: string, method: string): AppResponse => {
  const bytes = encoder.encode(text)
  return {
    status: 200,
    headers: [
      ["content-type", "application/json"],
      ["content-length", String(bytes.length)],
      ["cache-control", "no-store"],
      ["x-robots-tag", "noindex"],
      ["x-content-type-options", "nosniff"],
      ["access-control-allow-origin", "*"]
    ],
    body: method === "HEAD" ? null : new BytesBody(bytes)
  }
}
