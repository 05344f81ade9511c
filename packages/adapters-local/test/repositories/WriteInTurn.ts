/** A process that writes in a Project each time it is told to `write`, and is inside until it is told to `leave`. */
import { createInterface } from "node:readline"
import { Deferred, Effect } from "effect"
import { projectId } from "@pawl/testing/tools/StoreFixtures"
import * as ProjectLocks from "../../src/repositories/locks/ProjectLocks.ts"
import * as SharedProjectLocks from "../../src/repositories/locks/SharedProjectLocks.ts"

const { writing } = SharedProjectLocks.make(ProjectLocks.make(), process.argv[2]!)
let leave = Deferred.makeUnsafe<void>()
const write = writing(projectId(1))(
  Effect.andThen(
    Effect.sync(() => console.log("inside")),
    Effect.suspend(() => Deferred.await(leave))
  )
)
console.log("ready")
createInterface({ input: process.stdin }).on("line", (line) => {
  if (line === "leave") return Effect.runFork(Deferred.succeed(leave, undefined))
  leave = Effect.runSync(Deferred.make<void>())
  return Effect.runFork(
    Effect.andThen(
      write,
      Effect.sync(() => console.log("left"))
    )
  )
})
