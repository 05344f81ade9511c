import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Layer } from "effect"
import { afterAll } from "vitest"
import { repositoriesContract } from "@pawl/testing/contracts/repositories/RepositoriesContract"
import { slice } from "@pawl/testing/Depth"
import { layerSpawner } from "../../src/spawner/Processes.ts"
import { layer } from "../../src/repositories/GitRepositories.ts"

const root = mkdtempSync(join(tmpdir(), "repositories-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let count = 0

const alone = () => layer({ directory: join(root, `${count++}`) })

/** Who starts git: the process itself, or a spawner, as a server has it. */
const hands = [
  ["git", alone],
  ["git by a spawner", () => alone().pipe(Layer.provideMerge(layerSpawner(join(root, "run"))))]
] as const

for (const [name, each] of slice(hands, { quick: 1 })) repositoriesContract(name, { layer: each })
