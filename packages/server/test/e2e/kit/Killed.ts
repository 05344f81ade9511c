/** A `pawl` command that is killed, as by kill -9, right before it changes a file or commits for the nth time. */
import { writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pawl } from "./Command.ts"

const sqlite = createRequire(new URL("../../../../adapters-local/package.json", import.meta.url)).resolve(
  "better-sqlite3"
)

/** Loaded before the command: nothing of it is in the product. */
const preload = `
import fs from "node:fs"
import { createRequire, syncBuiltinESMExports } from "node:module"
let left = Number(process.env.PAWL_DIE_AT)
const step = () => {
  if (--left > 0) return
  process.kill(process.pid, "SIGKILL")
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
}
for (const name of ["renameSync", "linkSync", "rmSync"]) {
  const real = fs[name]
  fs[name] = (...args) => {
    if (args.some((each) => /(signing-key|log-key|rotation)$/.test(each) || /-key.next$/.test(each))) step()
    return real(...args)
  }
}
syncBuiltinESMExports()
const Database = createRequire(import.meta.url)(${JSON.stringify(sqlite)})
const prepare = Database.prototype.prepare
Database.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql)
  if (sql !== "COMMIT") return statement
  const run = statement.run
  statement.run = (...args) => { step(); return run.apply(statement, args) }
  return statement
}
`

/** Runs it; `code` is null where it was killed. `folder` holds what is loaded before it. */
export const pawlKilledAt = (
  place: number,
  folder: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>
) => {
  const path = join(folder, "die.mjs")
  writeFileSync(path, preload)
  return pawl(args, { ...environment, NODE_OPTIONS: `--import=${path}`, PAWL_DIE_AT: String(place) })
}
