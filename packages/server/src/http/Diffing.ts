/** What changes between two commits of a fork, in the form that the caller accepts. */
import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { ObjectNotFound, Repositories, type RepositoryRef } from "@pawl/core/project/Repositories"
import { Effect, Schema } from "effect"
import { prefers } from "./Accepting.ts"

/** The Candidate has no commit yet. */
export class NotComposed extends Schema.TaggedError<NotComposed>()("NotComposed", {
  candidateId: Schema.String,
  status: Schema.String
}) {}

/** The diff has more bytes than are answered at once. */
export class DiffTooLarge extends Schema.TaggedError<DiffTooLarge>()("DiffTooLarge", { max: Schema.Number }) {}

interface Compared {
  readonly project: string
  readonly fork: string
  readonly from: string
  readonly to: string
  /** What was asked for, when its commits are kept nowhere any more. */
  readonly asked: { readonly kind: string; readonly id: string }
}

/** The fork may be swept after its time; what was promoted is in canonical too. */
const somewhere = <A, E, R>(
  { project, fork, asked }: Compared,
  read: (ref: RepositoryRef) => Effect.Effect<A, E | ObjectNotFound, R>
) =>
  read({ project, fork }).pipe(
    Effect.catchIf(
      (error): error is ObjectNotFound & (E | ObjectNotFound) => error instanceof ObjectNotFound,
      () => read({ project })
    ),
    Effect.catchIf(
      (error): error is ObjectNotFound & (E | ObjectNotFound) => error instanceof ObjectNotFound,
      () => new Unknown({ kind: `${asked.kind}-diff`, id: asked.id })
    )
  )

/** JSON, or with `Accept: text/plain` git's unified form. */
export const diffAnswer = (compared: Compared) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const repositories = yield* Repositories
    if (prefers(request.headers["accept"], "text/plain", "application/json"))
      return HttpServerResponse.text(
        yield* somewhere(compared, (ref) => repositories.diffText(ref, compared.from, compared.to))
      )
    return { files: yield* somewhere(compared, (ref) => repositories.diff(ref, compared.from, compared.to)) }
  }).pipe(Effect.catchTag("TreeTooLarge", ({ max }) => new DiffTooLarge({ max })))
