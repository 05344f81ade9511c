/** A server of its own, for the test that kills it: it has a spawner start one process, says all numbers, and waits. */
import { Spawner } from "../../src/spawner/Spawner.ts"

const spawner = await Spawner.open(process.argv[2] ?? "")
const args = ["--pdeathsig", "KILL", "sleep", "1000"]
const started = await spawner.start({ file: "setpriv", args, cwd: "/", env: { PATH: "/usr/bin:/bin" }, streams: 3 })
console.log(`${spawner.pid} ${started.pid}`)
