/** `npm start` and `npm run demo`: builds what changed, then is the `pawl` command itself. The npm scripts `exec` it: npm hands SIGTERM to its shell alone. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const build = fileURLToPath(new URL("./build/main.ts", import.meta.url))
// What the build says goes to standard error: standard output is the command's own.
const built = spawnSync(process.execPath, [build], { stdio: ["ignore", 2, 2] })
if (built.status !== 0) process.exit(built.status ?? 1)
await import(new URL("../packages/server/dist/node/main.js", import.meta.url).href)
