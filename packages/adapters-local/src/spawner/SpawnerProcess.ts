/**
 * The spawner: a small process that starts others for the server. A fork copies the page tables of who forks, and each
 * page that is touched afterwards: here that is little, in the server it would stand still for it.
 * `node SpawnerProcess.js <socket>`. It imports nothing but Node's own, so that it stays small. It ends with the server, and all that it started ends with it.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { connect, type Socket } from "node:net"
import type { SpawnerAnswer, SpawnerOrder } from "./SpawnerMessages.ts"
import { headOf } from "./StreamHead.ts"

const path = process.argv[2] ?? ""
/** By number; null for one that is not started yet. */
const running = new Map<number, ChildProcess | null>()

const say = (answer: SpawnerAnswer): void => {
  if (process.connected) process.send?.(answer)
}

/** A connection to the server that has said what it is. Nothing is read of it here: what comes is for the new process. */
const open = (id: number, descriptor: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(path)
    socket.pause()
    socket.on("error", reject)
    socket.write(headOf(id, descriptor), (error) => (error ? reject(error) : resolve(socket)))
  })

const start = async ({ command, id }: Extract<SpawnerOrder, { readonly _tag: "Start" }>): Promise<void> => {
  running.set(id, null)
  const failed = (error: unknown) => {
    running.delete(id)
    say({ _tag: "Failed", id, reason: error instanceof Error ? error.message : String(error) })
  }
  const opening = Array.from({ length: command.streams }, (_, descriptor) => open(id, descriptor))
  try {
    const streams = await Promise.all(opening)
    if (!running.has(id)) return failed("it was killed before it was started")
    const { args, cwd, env, file } = command
    const child = spawn(file, args, { cwd, env, stdio: streams })
    child.once("exit", (code, signal) => {
      running.delete(id)
      say({ _tag: "Ended", id, code, signal })
    })
    const { pid } = child
    if (pid === undefined) return void child.once("error", failed)
    child.on("error", () => undefined)
    running.set(id, child)
    say({ _tag: "Started", id, pid })
  } catch (error) {
    failed(error)
  } finally {
    // The new process has its own descriptors of them.
    for (const one of opening)
      one.then(
        (stream) => stream.destroy(),
        () => undefined
      )
  }
}

process.on("message", (order: SpawnerOrder) => {
  if (order._tag === "Start") return void start(order)
  const child = running.get(order.id)
  if (child === null) running.delete(order.id)
  else child?.kill("SIGKILL")
})
process.once("disconnect", () => {
  for (const child of running.values()) child?.kill("SIGKILL")
  process.exit()
})
// What stops a group of processes is for the server, which still needs its apps while it stops.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined)
