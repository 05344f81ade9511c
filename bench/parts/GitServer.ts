/** git's own server of repositories, on this machine alone: what a clone over the network costs without a network. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { dirname } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { promisify } from "node:util"
import { ownAddress } from "../../packages/adapters-local/test/OwnAddress.ts"

const run = promisify(execFile)

/** Serves a bare repository. */
export const serve = async (repository: string) => {
  const { host, port } = ownAddress()
  const all = [
    "--export-all",
    "--reuseaddr",
    `--listen=${host}`,
    `--port=${port}`,
    `--base-path=${dirname(repository)}`
  ]
  const { stdout } = await run("git", ["--exec-path"])
  // Not by way of `git`, which would leave its child behind.
  const child = spawn(`${stdout.trim()}/git-daemon`, all, { stdio: "ignore" })
  const url = `git://${host}:${port}${repository.slice(dirname(repository).length)}`
  for (let tries = 0; ; tries++) {
    const answers = await run("git", ["ls-remote", "-q", url]).then(
      () => true,
      () => false
    )
    if (answers) break
    if (tries > 200) throw new Error("git-daemon does not answer")
    await pause(20)
  }
  const close = async () => {
    const exited = once(child, "exit")
    child.kill("SIGKILL")
    await exited
  }
  return { url, close }
}
