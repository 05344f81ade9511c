/** The lane. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { requireRole, requireScope } from "@pawl/core/access/Access"
import { pause, resume } from "@pawl/core/lane/LaneControl"
import { enter, leave, move } from "@pawl/core/lane/LaneEntries"
import { entryView, laneView, newestEntry } from "@pawl/core/lane/LaneView"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { laneWhy } from "@pawl/core/why/WhyLane"
import { CurrentUser } from "../../api/Authentication.ts"
import { EntryAnswer } from "../../api/groups/LaneApi.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { actor, onChange, onLaneEntry, onProject } from "../request/Reach.ts"

const answerOf = HttpServerResponse.schemaJson(EntryAnswer)

/** To go before those that have begun is for admins. */
const refuseInterrupting = Effect.fnUntraced(function* (projectId: string) {
  const { token, user } = yield* CurrentUser
  yield* requireScope(token.scopes, "admin")
  yield* requireRole(user.id, projectId, "admin")
})

/** Handlers of `lane`. Who enters is the caller, and lands as the caller. */
export const LaneHttp = HttpApiBuilder.group(PawlApi, "lane", (handlers) =>
  handlers
    .handle("land", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const change = yield* onChange(params.id)
          if (payload.interrupt === true) yield* refuseInterrupting(change.projectId)
          const { created, entry } = yield* enter(yield* actor, { ...payload, changeId: change.id })
          const answer = { entry: yield* entryView(entry.id) }
          return yield* answerOf(answer, { status: created ? 202 : 200 }).pipe(Effect.orDie)
        })
      )
    )
    .handle("leave", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const change = yield* onChange(params.id)
          const left = (yield* leave(yield* actor, change.id)) ?? (yield* newestEntry(change.id))
          if (left === null) return yield* new Unknown({ kind: "lane-entry", id: change.id })
          return { entry: yield* entryView(left.id) }
        })
      )
    )
    .handle("get", ({ params }) => answering(Effect.flatMap(onProject(params.id), ({ id }) => laneView(id))))
    .handle("entry", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const { id } = yield* onLaneEntry(params.id)
          return { entry: yield* entryView(id), why: yield* laneWhy(id) }
        })
      )
    )
    .handle("pause", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          yield* pause(yield* actor, project.id, payload.reason)
          return yield* laneView(project.id)
        })
      )
    )
    .handle("resume", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          yield* resume(yield* actor, project.id)
          return yield* laneView(project.id)
        })
      )
    )
    .handle("move", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const { id } = yield* onLaneEntry(params.id)
          yield* move(yield* actor, id, payload.before).pipe(
            Effect.catchTag("Unknown", (missing) => new Unknown({ kind: "lane-entry", id: missing.id }))
          )
          return { entry: yield* entryView(id) }
        })
      )
    )
)
