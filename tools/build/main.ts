/** `npm run build`: every package in the order of its dependencies, from turbo's cache where nothing changed. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { makeCommandsExecutable, sweepOrphans } from "./Outputs.ts"

const root = join(import.meta.dirname, "../..")
for (const orphan of sweepOrphans(root)) console.log(`removed ${orphan}: its source is gone`)
const turbo = spawnSync(
  join(root, "node_modules/.bin/turbo"),
  ["run", "build", "--output-logs=errors-only", ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit", env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" } }
)
makeCommandsExecutable(root)
process.exitCode = turbo.status ?? 1
