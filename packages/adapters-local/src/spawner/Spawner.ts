/**
 * Starts processes for the server by way of a small process of its own, the spawner. It is started anew when it has
 * died; what it had started has died with it.
 */
import { createServer, type Server, type Socket } from "node:net"
import { join } from "node:path"
import { LocalLimits } from "../LocalLimits.ts"
import type { SpawnedProcess } from "./SpawnedProcess.ts"
import { SpawnerLink } from "./SpawnerLink.ts"
import type { Command } from "./Starter.ts"
import { headBytes, readHead } from "./StreamHead.ts"

/** `open` makes one, with a socket in a folder that nobody else may enter. */
export class Spawner {
  private readonly server: Server
  private readonly path: string
  private link: SpawnerLink | null = null
  private started = 0
  private closing = false

  private constructor(server: Server, path: string) {
    this.server = server
    this.path = path
    server.on("connection", (socket: Socket) => this.receive(socket))
    this.linked()
  }

  static open(folder: string): Promise<Spawner> {
    const path = join(folder, "spawner.sock")
    return new Promise((resolve, reject) => {
      const server = createServer()
      server.once("error", reject)
      server.listen(path, () => {
        server.off("error", reject)
        // Later ones are connections that could not be accepted: what waits for them gives up in time.
        server.on("error", () => undefined)
        resolve(new Spawner(server, path))
      })
    })
  }

  /** The spawner's own process; null when it has died and nothing was started since. */
  get pid(): number | null {
    return this.link?.alive === true ? this.link.pid : null
  }

  /**
   * Starts a process. Rejects with an `Error` whose message says why when it could not be started, when the spawner died
   * meanwhile, or after `LocalLimits.spawnMs`; what it had become by then is killed.
   */
  start(command: Command): Promise<SpawnedProcess> {
    if (this.closing) return Promise.reject(new Error("the spawner was closed"))
    this.started += 1
    return this.linked().start(this.started, command, LocalLimits.spawnMs)
  }

  /** Ends the spawner and with it whatever still runs. */
  async close(): Promise<void> {
    this.closing = true
    await this.link?.close()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private linked(): SpawnerLink {
    if (this.link === null || !this.link.alive) this.link = new SpawnerLink(this.path)
    return this.link
  }

  /** A stream of a new process; what follows its head is the process's own. */
  private receive(socket: Socket): void {
    socket.on("error", () => undefined)
    const hear = () => {
      const bytes: Buffer | null = socket.read(headBytes)
      if (bytes === null) return
      socket.off("readable", hear)
      const head = readHead(bytes.toString("latin1"))
      if (head === null || this.link?.receive(head[0], head[1], socket) !== true) socket.destroy()
    }
    socket.on("readable", hear)
  }
}
