/** What would run a check if it were run now: evidence of before counts only where it was run by the same. */
import { Effect } from "effect"
import { AppBuilder } from "../bundle/AppBuilder.ts"
import type { Check } from "../model/Plan.ts"
import { builderDigestOf, runnerDigestOf } from "./RunnerDigest.ts"
import { closedBy } from "./ReuseRules.ts"
import { Sandbox } from "./Sandbox.ts"

/** What would run checks now; null where nothing could, or not so that it counts again. */
const sandboxNow = Effect.flatMap(Sandbox, ({ isolation }) => isolation).pipe(
  Effect.map((isolation) => {
    const digest = runnerDigestOf(isolation)
    const isClosed = closedBy.every((guarantee) => isolation.guarantees.some((each) => each === guarantee))
    return digest === undefined || !isClosed ? null : { digest, guarantees: isolation.guarantees }
  }),
  Effect.map((found) => ({ found, isThere: true })),
  Effect.catchTag("IsolationMissing", () => Effect.succeed({ found: null, isThere: false }))
)

/** The digest of what builds here now. Undefined where a build command would run in a sandbox that is not closed. */
export const builderDigest = Effect.gen(function* () {
  const { name, version } = (yield* AppBuilder).version
  const { found, isThere } = yield* sandboxNow
  // Where there is no sandbox no build command ever passed.
  if (isThere && found === null) return undefined
  return builderDigestOf(`${name} ${version}`, found?.digest ?? null)
})

/** What would run a check now, and the guarantees that it would have. */
export const runnerNow = Effect.fnUntraced(function* (check: Check) {
  if (check.kind === "build") {
    const digest = yield* builderDigest
    return digest === undefined ? null : { digest, guarantees: [] }
  }
  return check.kind === "command" && check.command !== undefined ? (yield* sandboxNow).found : null
})
