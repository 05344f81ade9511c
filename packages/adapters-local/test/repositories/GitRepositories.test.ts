import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { repositoriesContract } from "@pawl/testing/contracts/repositories/RepositoriesContract"
import { layer } from "../../src/repositories/GitRepositories.ts"

const root = mkdtempSync(join(tmpdir(), "repositories-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let count = 0

repositoriesContract("git", { layer: () => layer({ directory: join(root, `${count++}`) }) })
