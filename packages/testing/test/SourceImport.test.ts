import { layerMemory, type MemoryOrigins } from "@pawl/adapters-memory/MemorySourceImport"
import type { FileEdits } from "@pawl/core/project/Repositories"
import { ImportUnavailable } from "@pawl/core/project/SourceImport"
import { sourceImportContract } from "@pawl/testing/contracts/repositories/SourceImportContract"
import { Effect } from "effect"

sourceImportContract("memory", {
  play: (program) => {
    const url = "https://git.test/team/app"
    const branches = new Map<string, FileEdits>()
    const origins: MemoryOrigins = { repositories: new Map([[url, branches]]), fault: null }
    const hands = {
      url,
      put: (branch: string, files: FileEdits) => void branches.set(branch, files),
      leave: () => void (origins.fault = new ImportUnavailable({ reason: "away" }))
    }
    return Effect.runPromise(Effect.provide(program(hands), layerMemory(origins, ["git.test"])))
  }
})
