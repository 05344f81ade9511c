/** What a build under way, or one that failed, makes of a pointer: both only where no good bundle is served. */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import type * as Commit from "../ledger/Commit.ts"
import { find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { pointerKey } from "../model/Entities.ts"
import { Process } from "../work/Processes.ts"
import * as Time from "../primitives/Time.ts"
import type { Pointer } from "../model/Pointer.ts"

/** A row whose last build failed is building again, before it says what became of the next one. */
export const reopening = Effect.fnUntraced(function* (projectId: string, incarnation: number) {
  const none = { answer: undefined }
  const pointer = yield* find("pointer", pointerKey(projectId, "production"))
  if (pointer === null || pointer.record.incarnation !== incarnation) return none
  const draft = Draft.begin(projectId, system("Apps.reopen"), yield* Time.now)
  if (!Draft.may(draft, "pointer", pointer, "buildStarted")) return none
  Draft.step(draft, "pointer", pointer, "buildStarted", { reason: null })
  return { answer: undefined, commit: Draft.end(draft, { name: "Apps.reopen", lease: (yield* Process).lease }) }
})

/** A row without a bundle says why there is none, and this answers true; one that serves a bundle goes on serving it. */
export const notBuilt = (
  draft: Draft.Draft,
  pointer: Commit.Stored<Pointer>,
  trigger: "buildFailed" | "capReached",
  reason: string
): boolean => {
  if (pointer.record.status === "live" || !Draft.may(draft, "pointer", pointer, trigger)) return false
  Draft.step(draft, "pointer", pointer, trigger, { reason })
  return true
}
