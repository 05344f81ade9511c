/** How pointers are answered: with the address that people open. */
import { type Shown, withHeldWork } from "@pawl/core/candidate/HeldWork"
import { hostFor } from "@pawl/core/model/HostLabel"
import { type Pointer, pointerStatuses } from "@pawl/core/model/Pointer"
import { find } from "@pawl/core/ledger/Decision"
import { pointerKey } from "@pawl/core/model/Entities"
import { Records } from "@pawl/core/ledger/Records"
import { versionId } from "@pawl/core/primitives/Ids"
import { Limits } from "@pawl/core/primitives/Limits"
import { Settings } from "@pawl/core/primitives/Settings"
import * as Time from "@pawl/core/primitives/Time"
import type { Generation } from "@pawl/core/model/Generation"
import { Effect } from "effect"

/** The address of a pointer's host; empty where no apps are hosted. */
const urlOf = (pointer: Pointer) =>
  Effect.map(Settings, ({ appsDomain, appUrl }) =>
    appsDomain === null ? "" : appUrl(hostFor(pointer.label, pointer.channel, appsDomain))
  )

/**
 * A preview with its address and the time at which it ends, `Limits.previewDays` after it was made. `on` are the Changes
 * whose work its Candidate holds too.
 */
export const previewAnswer = (pointer: Pointer, on?: Shown["on"]) =>
  Effect.map(urlOf(pointer), (url) => ({
    url,
    status: pointer.status,
    previewId: pointer.channel.slice("preview:".length),
    candidateId: pointer.candidateId,
    changeId: pointer.changeId,
    commit: pointer.commit,
    generation: pointer.generation,
    ...(on === undefined ? {} : { on }),
    updatedAt: pointer.updatedAt,
    expiresAt: Time.fromMillis(Time.toMillis(pointer.createdAt) + Limits.previewDays * Time.dayMs)
  }))

/** The address of a generation's version host; null when it has none. */
export const versionUrl = Effect.fnUntraced(function* (step: Generation) {
  const pointer = yield* find("pointer", pointerKey(step.projectId, `preview:${versionId(step.generation)}`))
  if (pointer === null || pointer.record.status === "removed" || (yield* Settings).appsDomain === null) return null
  return yield* urlOf(pointer.record)
})

const shown = pointerStatuses.filter((status) => status !== "removed")

/** What is served at a pointer, and where. */
export const servedAnswer = (pointer: Pointer) =>
  Effect.map(urlOf(pointer), (url) => ({
    status: pointer.status,
    url,
    label: pointer.label,
    generation: pointer.generation,
    commit: pointer.commit,
    reason: pointer.reason,
    updatedAt: pointer.updatedAt
  }))

/** What the Candidates of previews hold of others, by id. */
const heldIn = Effect.fnUntraced(function* (previews: ReadonlyArray<Pointer>) {
  const ids = previews.flatMap(({ candidateId }) => (candidateId === null ? [] : [candidateId]))
  const candidates = ids.length === 0 ? [] : [...(yield* (yield* Records).many("candidate", ids)).values()]
  const held = yield* withHeldWork(candidates.map(({ record }) => record))
  return new Map<string, Shown["on"]>(held.map(({ id, on }) => [id, on]))
})

/** The app with its newest previews. Of an app that was removed, none is left to be shown. */
export const appAnswer = Effect.fnUntraced(function* (pointer: Pointer) {
  const newest = yield* (yield* Records).list("pointer", {
    projectId: pointer.projectId,
    where: { expires: "yes", status: shown },
    order: "newest"
  })
  const isGone = pointer.status === "removed" || pointer.leftovers === true
  const pointers = isGone ? [] : newest.items.map(({ record }) => record)
  const on = yield* heldIn(pointers)
  const previews = yield* Effect.forEach(pointers, (each) => previewAnswer(each, on.get(each.candidateId ?? "")))
  return { ...(yield* servedAnswer(pointer)), previews }
})
