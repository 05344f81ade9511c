/** `npm start` and `npm run demo`: builds what changed, then is the `pawl` command itself. The npm scripts `exec` it: npm hands SIGTERM to its shell alone. */
import { fileURLToPath } from "node:url"
import { runQuietly } from "./build/Quietly.ts"

// Standard output is the command's own. A build that has nothing to do is over in a second or few, and says nothing.
const code = await runQuietly(fileURLToPath(new URL("./build/main.ts", import.meta.url)), {
  waiting: "building; the first time this takes about half a minute",
  args: ["--verbose"],
  begins: "Building project"
})
if (code === 0) await import(new URL("../packages/server/dist/node/main.js", import.meta.url).href)
else process.exitCode = code
