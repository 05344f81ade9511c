/**
 * `npm run build`: every package in the order of its dependencies, and nothing where nothing changed. `--verbose` says of
 * each whether it is built.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { buildConsole } from "./Console.ts"
import { isBundled, makeCommandsExecutable, packageNames, sweepOrphans } from "./Outputs.ts"

const root = join(import.meta.dirname, "../..")
for (const orphan of sweepOrphans(root)) console.log(`removed ${orphan}: its source is gone`)
const projects = packageNames(root)
  .filter((name) => !isBundled(root, name))
  .map((name) => join("packages", name, "tsconfig.json"))
// Several checkers each check what they share anew: that doubles the work, and beside others nothing is won.
const { status } = spawnSync(
  join(root, "node_modules/.bin/tsc"),
  ["-b", ...projects, "--singleThreaded", ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: "inherit"
  }
)
makeCommandsExecutable(root)
process.exitCode = status ?? 1
if (process.exitCode === 0) await buildConsole(root, (line) => console.log(line))
