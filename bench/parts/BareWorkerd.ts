/** workerd by hand: one module, one HTTP socket on loopback, no isolation, no supervisor. */
import { type ChildProcess, spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { workerdPath } from "@pawl/adapters-local/runtime/host/RuntimeIsolation"

// The flags that the host processes have: without them a long collection comes every 20,000 requests.
const configuration = (date: string) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  v8Flags = ["--gc-global", "--max-semi-space-size=1"],
  services = [ (name = "main", worker = .app) ],
  sockets = [ (name = "app", address = "127.0.0.1:0", http = (), service = "main") ],
);
const app :Workerd.Worker = (
  modules = [ (name = "app", esModule = embed "app.js") ],
  compatibilityDate = "${date}",
  compatibilityFlags = ["no_nodejs_compat", "no_nodejs_compat_v2"],
);
`

/** Writes what workerd needs, and answers the path of its configuration. */
export const writeApp = (folder: string, module: string, date: string): string => {
  writeFileSync(join(folder, "app.js"), module)
  const config = join(folder, "app.capnp")
  writeFileSync(config, configuration(date))
  return config
}

export interface Bare {
  readonly port: number
  readonly stop: () => Promise<void>
}

const portOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    let said = ""
    child.stdio[3]!.on("data", (piece: Buffer) => {
      said += piece.toString("utf8")
      const port = /"port":\s*(\d+)/.exec(said)?.[1]
      if (port !== undefined) resolve(Number(port))
    })
    child.once("error", reject)
    child.once("exit", (code) => reject(new Error(`workerd ended with ${code}`)))
  })

/** Starts it; resolves when it listens. */
export const start = async (config: string): Promise<Bare> => {
  const child = spawn(workerdPath(), ["serve", config, "--control-fd", "3"], {
    stdio: ["ignore", "ignore", "inherit", "pipe"]
  })
  // Whatever ends this process, workerd goes with it.
  const kill = () => void child.kill("SIGKILL")
  process.once("exit", kill)
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  return {
    port: await portOf(child),
    stop: () => {
      process.off("exit", kill)
      kill()
      return ended
    }
  }
}
