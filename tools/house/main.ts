/**
 * The rules of the house that no off-the-shelf linter expresses: imports by room and by floor, purity, floating Effects,
 * exports that nobody uses or nothing is said of, file names and sizes. `node tools/house/main.ts [root]` prints one line
 * per finding and exits 1 if there is one. With `--slice` it looks for floating Effects in a tenth of the files, which
 * goes by the commit: that takes most of the time, for it asks for the type of every statement.
 */
import { resolve } from "node:path"
import { deadExports } from "./DeadExports.ts"
import { docstrings } from "./Docstrings.ts"
import { type Finding, show } from "./Finding.ts"
import { files } from "./Files.ts"
import { floorFindings } from "./Floors.ts"
import { floatingEffects } from "./FloatingEffects.ts"
import { imports } from "./Imports.ts"
import { purity } from "./Purity.ts"
import { turnOf } from "../vitest/Turn.ts"
import { stretchOf } from "./Stretch.ts"
import { withWorkspace } from "./Workspace.ts"

const sliced = "--slice"
const root = resolve(process.argv.slice(2).find((each) => each !== sliced) ?? ".")
const turn = turnOf(process.env)
const isSliced = process.argv.includes(sliced) && turn.depth === "quick"

const inspected = withWorkspace(root, (all) => ({
  count: all.length,
  findings: [
    ...all.flatMap((file): ReadonlyArray<Finding> => [...files(file), ...imports(root, file), ...purity(file)]),
    ...(isSliced ? stretchOf(all, turn.seed) : all).flatMap(floatingEffects),
    ...floorFindings(all),
    ...deadExports(root, all),
    ...docstrings(all)
  ]
}))
for (const finding of inspected.findings) console.error(show(finding))
console.log(`${inspected.count} files keep the rules of the house, but for ${inspected.findings.length} findings`)
process.exitCode = inspected.findings.length === 0 ? 0 : 1
