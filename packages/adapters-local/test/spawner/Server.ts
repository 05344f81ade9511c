/** A server of its own, for the test that kills it: it has a spawner start one process, says all numbers, and waits. */
import { Spawner } from "../../src/spawner/Spawner.ts"

const spawner = await Spawner.open(process.argv[2] ?? "")
// `setpriv` asks for its end and then becomes the shell: only when that speaks is the asking done.
const args = ["--pdeathsig", "KILL", "sh", "-c", "echo up; exec sleep 1000"]
const started = await spawner.start({ file: "setpriv", args, cwd: "/", env: { PATH: "/usr/bin:/bin" }, streams: 3 })
await new Promise((resolve) => started.streams[1]?.once("data", resolve))
console.log(`${spawner.pid} ${started.pid}`)
