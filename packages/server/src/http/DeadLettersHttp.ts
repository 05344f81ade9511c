/** Dead letters: seen, retried, dismissed. */
import { HttpApiBuilder } from "@effect/platform"
import { Commands } from "@pawl/core/event/Commands"
import { dismiss, retry } from "@pawl/core/event/DeadLetters"
import { Limits } from "@pawl/core/primitives/Limits"
import { Effect } from "effect"
import type { PageParams } from "../api/Paging.ts"
import { PawlApi } from "../api/PawlApi.ts"
import { answering } from "./Answering.ts"
import { actor, onDeadLetter, onProject } from "./Reach.ts"

/** A page of them. The cursor is the id of the last one that was shown. */
const page = (projectId: string, { limit = Limits.pageSize, cursor }: PageParams) =>
  Effect.map(
    Effect.flatMap(Commands, (commands) => commands.deadLetters(projectId)),
    (letters) => {
      const start = cursor === undefined ? 0 : letters.findIndex((letter) => letter.id === cursor) + 1
      const items = letters.slice(start, start + limit)
      return { items, nextCursor: letters.length > start + limit ? (items.at(-1)?.id ?? null) : null }
    }
  )

export const DeadLettersHttp = HttpApiBuilder.group(PawlApi, "deadLetters", (handlers) =>
  handlers
    .handle("list", ({ path, urlParams }) =>
      answering(Effect.flatMap(onProject(path.id), (project) => page(project.id, urlParams)))
    )
    .handle("retry", ({ path }) =>
      answering(
        Effect.gen(function* () {
          const deadLetter = yield* onDeadLetter(path.id)
          return { deadLetter: yield* retry(yield* actor, deadLetter.id) }
        })
      )
    )
    .handle("dismiss", ({ path }) =>
      answering(
        Effect.gen(function* () {
          const deadLetter = yield* onDeadLetter(path.id)
          return { deadLetter: yield* dismiss(yield* actor, deadLetter.id) }
        })
      )
    )
)
