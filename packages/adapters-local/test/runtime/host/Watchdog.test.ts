import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { getPriority, setPriority } from "node:os"
import { setImmediate as turn } from "node:timers/promises"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { expect, it } from "vitest"
import { Watchdog } from "../../../src/runtime/host/Watchdog.ts"

const budgetMs = 400
/** Says that it is there; each time it is asked it computes until others go before it, and says so. Whoever watches it may begin late. */
const taker = `const { getPriority } = require("node:os")
process.stdout.write("up")
process.stdin.on("data", () => {
  const usual = getPriority()
  while (getPriority() === usual) ;
  process.stdout.write("done")
})`

const says = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, "exit").then(() => Promise.reject(new Error("it was ended in place of being slowed")))
  await Promise.race([once(child.stdout!, "data"), ended])
}
const priorityBecomes = async (pid: number, wanted: number): Promise<void> => {
  while (getPriority(pid) !== wanted) await turn()
}

const mayRaise = ((): boolean => {
  const usual = getPriority()
  try {
    setPriority(usual - 1)
    setPriority(usual)
    return true
  } catch {
    return false
  }
})()

// Who is not root cannot take back what it lowers, and lowers nothing.
it.skipIf(!mayRaise)("lets others go before a process whose request takes long, until its next request", async () => {
  const usual = getPriority()
  const watchdog = new Watchdog(1)
  const child = spawn(process.execPath, ["-e", taker], { stdio: ["pipe", "pipe", "inherit"] })
  try {
    await says(child)
    const pid = child.pid!
    const watch = watchdog.watch(pid)
    for (let request = 0; request < 3; request += 1) {
      watch.begin(budgetMs)
      await priorityBecomes(pid, usual)
      child.stdin.write("more")
      await says(child)
      await priorityBecomes(pid, usual + LocalLimits.lowNice)
      expect(watch.verdict()).toBeNull()
    }
    watch.release()
  } finally {
    child.kill("SIGKILL")
    await watchdog.close()
  }
})
