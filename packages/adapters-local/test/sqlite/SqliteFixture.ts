/** Stores on a real SQLite file, in a folder that goes away with the test, and children that use them. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Effect, Layer } from "effect"
import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import * as SqlStores from "@pawl/sql/SqlStores"
import { oneFile } from "../OneFile.ts"

export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "pawl-sqlite-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

export const temporaryFile = Effect.map(temporaryFolder, (folder) => join(folder, "pawl.db"))

/** The stores, and the client and the database that they stand on. */
export const storesOn = (filename: string) => Layer.provideMerge(SqlStores.layer, SqliteClient.layer({ filename }))

/** The stores on a new file each time the layer is built. */
export const layerFresh = Layer.unwrap(Effect.map(temporaryFile, storesOn))

/** Runs a sibling file in a process of its own, which is killed with the scope. */
export const childOf = (file: string, args: ReadonlyArray<string>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const path = await oneFile(fileURLToPath(new URL(`./${file}.ts`, import.meta.url)))
        const child = spawn(process.execPath, [path, ...args], { stdio: ["pipe", "pipe", "inherit"] })
        const exited = once(child, "exit")
        const lines: AsyncIterator<string> = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
        return { child, exited, lines }
      }),
      ({ child, exited }) => Effect.promise(() => (child.kill("SIGKILL"), exited))
    ),
    ({ child, exited, lines }) => ({
      pid: child.pid,
      /** The next line that it says; null when it said its last. */
      line: Effect.promise(async () => {
        const next = await lines.next()
        return next.done === true ? null : next.value
      }),
      tell: (text: string) => Effect.sync(() => void child.stdin.write(text)),
      kill: Effect.promise(() => (child.kill("SIGKILL"), exited))
    })
  )
