/** Tasks that are worked outside. */
import { requireScope } from "@pawl/core/access/Access"
import type { Token } from "@pawl/core/model/Membership"
import { demand } from "@pawl/core/ledger/Decision"
import type { OutsideWork, TaskRun } from "@pawl/core/model/Task"
import { briefOf, briefWords, claimPaths } from "@pawl/core/task/Briefs"
import { askChecks, checksNow } from "@pawl/core/harness/OutsideChecks"
import { giveUp, renew, RunNotHeld } from "@pawl/core/task/OutsideLeases"
import { claim, publish, refOfTask } from "@pawl/core/task/OutsideRuns"
import { Effect, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ChecksAnswer } from "../../api/groups/OutsideApi.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { CurrentUser } from "../../api/Authentication.ts"
import { ApiSettings } from "../ApiSettings.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { actor, onRun, onTask } from "../request/Reach.ts"

const checksAnswerOf = HttpServerResponse.schemaJson(ChecksAnswer)

const isTokenId = (id: string): id is Token["id"] => id.startsWith("tok_")

const shown = ({ claimedWith: _with, tokenHash: _hash, ...run }: TaskRun) => run

/** Where git is asked: the server's own origin, or the one that the request calls it by. */
const gitUrl = Effect.fnUntraced(function* (projectId: string) {
  const { origin } = yield* ApiSettings
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  return `${origin ?? `http://${headers["host"] ?? "127.0.0.1"}`}/git/${projectId}.git`
})

const outsideOf = ({ id, outside }: TaskRun): Effect.Effect<OutsideWork, RunNotHeld> =>
  outside === undefined ? new RunNotHeld({ runId: id, reason: "no agent outside works it" }) : Effect.succeed(outside)

const claimed = Effect.fnUntraced(function* (id: string) {
  const task = yield* onTask(id)
  const { token } = yield* CurrentUser
  // Who comes without a token of Pawl's is known by what they may do now: the agent gets both scopes then.
  if (!isTokenId(token.id)) yield* requireScope(token.scopes, "read")
  const { run, text } = yield* claim(yield* actor, task.id, isTokenId(token.id) ? token.id : undefined)
  const { base, leaseUntil } = yield* outsideOf(run)
  return {
    run: shown(run),
    leaseUntil,
    token: Redacted.value(text),
    git: { url: yield* gitUrl(task.projectId), ref: refOfTask(task.id), base }
  }
})

const briefed = Effect.fnUntraced(function* (id: string) {
  const run = yield* onRun(id)
  const task = (yield* demand("task", run.taskId)).record
  const brief = yield* briefOf(run)
  return { task, brief, text: yield* briefWords(task, brief) }
})

const renewed = Effect.fnUntraced(function* (id: string) {
  const run = yield* renew(yield* actor, (yield* onRun(id)).id)
  return { run: shown(run), leaseUntil: (yield* outsideOf(run)).leaseUntil }
})

const published = Effect.fnUntraced(function* (id: string, message: string) {
  const { changeSet, run, task } = yield* publish(yield* actor, (yield* onRun(id)).id, message)
  return { run: shown(run), task, changeset: changeSet }
})

/** Handlers of `outside`. */
export const OutsideHttp = HttpApiBuilder.group(PawlApi, "outside", (handlers) =>
  handlers
    .handle("claim", ({ params }) => answering(claimed(params.id)))
    .handle("brief", ({ params }) => answering(briefed(params.id)))
    .handle("renew", ({ params }) => answering(renewed(params.id)))
    .handle("claimPaths", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const run = yield* onRun(params.id)
          return { overlaps: yield* claimPaths(yield* actor, run.id, payload.paths, payload.mode ?? "write") }
        })
      )
    )
    .handle("askChecks", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const run = yield* onRun(params.id)
          const { begun, checks } = yield* askChecks(yield* actor, run.id, payload.again === true)
          return yield* checksAnswerOf({ checks }, { status: begun ? 202 : 200 }).pipe(Effect.orDie)
        })
      )
    )
    .handle("checks", ({ params }) =>
      answering(Effect.flatMap(onRun(params.id), ({ id }) => Effect.map(checksNow(id), (checks) => ({ checks }))))
    )
    .handle("publish", ({ params, payload }) => answering(published(params.id, payload.message)))
    .handle("giveUp", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const run = yield* onRun(params.id)
          return { task: yield* giveUp(yield* actor, run.id, payload.reason) }
        })
      )
    )
)
