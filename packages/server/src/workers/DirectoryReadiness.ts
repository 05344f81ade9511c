/** Whether an installation can work, as its directory sees it: what it stands on answers, and it was set up. */
import { firstOrganizationId } from "@pawl/core/access/Organizations"
import { find } from "@pawl/core/ledger/Decision"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Effect } from "effect"
import type { ReadyState } from "../http/Readiness.ts"
import { missing, nobody } from "../http/ReadinessLook.ts"

/** Its rows, and in them the organization that its set-up makes. */
const setUp = Effect.gen(function* () {
  let isSetUp = false
  const look = Effect.map(find("organization", firstOrganizationId), (found) => void (isSetUp = found !== null))
  return (yield* missing("database", look)) ?? (isSetUp ? null : "first organization: OWNER_TOKEN is no token")
})

const bucket = Effect.flatMap(ObjectStore, (store) => missing("object store", store.head(`ready/${nobody}`)))

/** Looks anew each time. */
export const state = Effect.map(Effect.all([setUp, bucket], { concurrency: "unbounded" }), (all): ReadyState => {
  const away = all.filter((name) => name !== null)
  return away.length === 0 ? { status: "ready" } : { status: "not_ready", missing: away }
})
