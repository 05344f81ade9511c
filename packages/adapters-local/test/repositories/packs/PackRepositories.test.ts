import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Layer } from "effect"
import { afterAll } from "vitest"
import * as FileObjectStore from "@pawl/adapters-local/objects/FileObjectStore"
import { repositoriesContract } from "@pawl/testing/contracts/repositories/RepositoriesContract"
import { slice } from "@pawl/testing/Depth"
import { layerFresh } from "../../sqlite/SqliteFixture.ts"
import { layerOfThree } from "./Machines.ts"

const root = mkdtempSync(join(tmpdir(), "packs-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let count = 0

const stores = (folder: string) =>
  Layer.merge(layerFresh, FileObjectStore.layer({ directory: join(folder, "objects"), alone: true }))

const layer = (before?: Parameters<typeof layerOfThree>[1]) => () => {
  const folder = join(root, `${count++}`)
  return Layer.provide(layerOfThree(folder, before), stores(folder))
}

/** Deletes what a machine's copies are, whoever uses them. */
const deletes = (roots: ReadonlyArray<string>) => (at: number) => {
  const path = roots[at] ?? ""
  if (existsSync(path)) for (const name of readdirSync(path)) rmSync(join(path, name), { recursive: true, force: true })
}

const machines = [
  ["packs, each call on the next of three machines", layer()],
  ["packs, each machine's copies deleted before each call of it", layer(deletes)]
] as const

// Each is a thousand processes of git. Packs on three machines are in every quick run: on Postgres, if not here.
for (const [name, each] of slice(machines, { quick: 1 })) repositoriesContract(name, { layer: each })
