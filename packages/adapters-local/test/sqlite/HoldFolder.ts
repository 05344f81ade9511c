/** A process that holds a data folder until it is killed. */
import { Effect } from "effect"
import { lock } from "@pawl/adapters-local/sqlite/DataFolder"

Effect.runFork(
  Effect.scoped(
    lock(process.argv[2]!).pipe(
      Effect.tap(() => Effect.sync(() => console.log("held"))),
      Effect.andThen(Effect.never)
    )
  )
)
setInterval(() => {}, 60_000)
