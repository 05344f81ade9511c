/** The provider of models is away for 20 minutes of a clock that the test turns, over the stores of a real installation. */
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { describe, it } from "vitest"
import * as FileObjectStore from "@pawl/adapters-local/objects/FileObjectStore"
import * as GitRepositories from "@pawl/adapters-local/repositories/GitRepositories"
import { storesOn, temporaryFolder } from "../../../adapters-local/test/sqlite/SqliteFixture.ts"
import { layer } from "../../../core/test/kit/MemoryPawl.ts"
import { longOutages } from "../../../core/test/kit/PaidWork.ts"
import { inWorld } from "../../../core/test/kit/WorkWorld.ts"

const onDisk = Layer.unwrap(
  Effect.map(temporaryFolder, (folder) =>
    Layer.mergeAll(
      layer,
      storesOn(join(folder, "pawl.db")),
      FileObjectStore.layer({ directory: join(folder, "objects") }),
      GitRepositories.layer({ directory: join(folder, "repositories") })
    )
  )
)

describe("A Change over SQLite, files and git", () => {
  it.each([
    ["and took nothing", "no"],
    ["and may have taken the money", "unknown"]
  ] as const)(
    "waits out a provider that is away for 20 minutes, twice, %s: no try is used up, nothing is a dead letter",
    (_, charged) => inWorld((hands) => longOutages(hands, charged), onDisk)
  )
})
