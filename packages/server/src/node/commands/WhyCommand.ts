/** `pawl why <candidate>`: why a Candidate is where it is, what happened to its Change, and what to do. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { Effect } from "effect"
import { asking, jsonOption, remoteOptions, reporting } from "./Remote.ts"
import { inVerbs } from "./RequestVerbs.ts"
import { historyLines, whyLines } from "./WhyLines.ts"

const newestPage = { order: "newest", limit: 100 } as const

/** Lines for people; exits with 2 when it could not ask. */
export const whyCommand = Command.make(
  "why",
  { candidate: Argument.String("candidate"), ...remoteOptions, ...jsonOption },
  ({ candidate, json, ...remote }) =>
    reporting(
      asking(remote, (client) =>
        Effect.gen(function* () {
          const why = yield* client.candidates.why({ params: { id: candidate } })
          const history = yield* client.history.ofChange({ params: { id: why.change.id }, query: newestPage })
          const older = history.nextCursor === null ? [] : ["Its history is longer: this is the end of it"]
          const steps = historyLines(history.items.toReversed(), why)
          return {
            lines: [...whyLines(why), ...steps, ...older, `Next: ${inVerbs(why.next)}`],
            json: { why },
            exitCode: 0
          }
        })
      ),
      json
    )
).pipe(
  Command.withDescription("Says why a Candidate is where it is, and what to do; exits with 2 when it could not ask")
)
