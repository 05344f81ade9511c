/** Dead letters: seen, retried, dismissed. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { LetterPage } from "@pawl/core/work/Commands"
import { dismiss, retry } from "@pawl/core/worker/DeadLetters"
import { type LetterListing, listFor, listOf } from "@pawl/core/worker/DirectoryLetters"
import { fromMillis, toMillis } from "@pawl/core/primitives/Time"
import { CurrentUser } from "../../api/Authentication.ts"
import type { PageParams } from "../../api/PageParams.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { actor, onDeadLetter, onProject } from "../request/Reach.ts"

/** The cursor says which letter was shown last, and when it died: it may be gone when the next page is asked for. */
const pageOf = ({ limit, cursor }: PageParams): LetterPage => {
  const [, at, id] = /^([0-9]{1,15})~(.+)$/.exec(cursor ?? "") ?? []
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(at === undefined || id === undefined ? {} : { after: { id, diedAt: fromMillis(Number(at)) } })
  }
}

const answerOf = ({ items, next }: LetterListing) => ({
  items,
  nextCursor: next === null ? null : `${toMillis(next.diedAt)}~${next.id}`
})

/** Handlers of `deadLetters`: of a Project, or of the directory for those that the caller may see. */
export const DeadLettersHttp = HttpApiBuilder.group(PawlApi, "deadLetters", (handlers) =>
  handlers
    .handle("list", ({ params, query }) =>
      answering(
        Effect.flatMap(onProject(params.id), (project) => Effect.map(listOf(project.id, pageOf(query)), answerOf))
      )
    )
    .handle("ofDirectory", ({ query }) =>
      answering(Effect.flatMap(CurrentUser, (caller) => Effect.map(listFor(caller.user.id, pageOf(query)), answerOf)))
    )
    .handle("retry", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const deadLetter = yield* onDeadLetter(params.id)
          return { deadLetter: yield* retry(yield* actor, deadLetter.id) }
        })
      )
    )
    .handle("dismiss", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const deadLetter = yield* onDeadLetter(params.id)
          return { deadLetter: yield* dismiss(yield* actor, deadLetter.id) }
        })
      )
    )
)
