import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as FileObjectStore from "@pawl/adapters-local/objects/FileObjectStore"
import * as PgClient from "@pawl/adapters-pg/PgClient"
import * as SqlStores from "@pawl/sql/SqlStores"
import { repositoriesContract } from "@pawl/testing/contracts/repositories/RepositoriesContract"
import { Effect, Layer, Redacted } from "effect"
import { afterAll, beforeAll, describe } from "vitest"
import { layerOfThree } from "../../../adapters-local/test/repositories/packs/Machines.ts"
import * as PostgresServer from "../../../adapters-pg/test/PostgresServer.ts"

const reason = await PostgresServer.whyNot()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

const schema = "pawl_packs"
/** What is made anew for each test takes longer than most of them. */
const empty = `DO $$ BEGIN IF to_regclass('${schema}.pawl_pack') IS NOT NULL THEN
  DELETE FROM ${schema}.pawl_repo; DELETE FROM ${schema}.pawl_pack; DELETE FROM ${schema}.pawl_trash; END IF; END $$`

describe.skipIf(reason !== null)("On Postgres", () => {
  const root = mkdtempSync(join(tmpdir(), "packs-"))
  let postgres: PostgresServer.PostgresServer
  let count = 0

  beforeAll(async () => {
    postgres = await PostgresServer.start()
  })
  afterAll(async () => {
    await postgres.stop()
    rmSync(root, { recursive: true, force: true })
  })

  const layer = () => {
    const folder = join(root, `${count++}`)
    const stores = Layer.unwrap(
      Effect.as(
        Effect.promise(() => PostgresServer.administer(postgres.url, empty)),
        SqlStores.layer.pipe(Layer.provide(PgClient.layer({ url: Redacted.make(postgres.url), schema })))
      )
    )
    const objects = FileObjectStore.layer({ directory: join(folder, "objects"), alone: true })
    return Layer.provide(layerOfThree(folder), Layer.merge(stores, objects))
  }

  repositoriesContract("packs in Postgres, each call on the next of three machines", { layer })
})
