/**
 * The spawner: a small process that starts others for the server. A fork copies the page tables of who forks, and each
 * page that is touched afterwards: here that is little, in the server it would stand still for it.
 * `node SpawnerProcess.js <socket>`. It imports Node's own and a few small files of ours, so that it stays small. It ends with the server, and all that it started ends with it.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { killGroup } from "../ProcessGroup.ts"
import type { SpawnerAnswer, SpawnerOrder } from "./SpawnerMessages.ts"
import { openedOutput, stdioOf } from "./Stdio.ts"
import { headOf } from "./StreamHead.ts"

const path = process.argv[2] ?? ""
interface Running {
  readonly child: ChildProcess
  readonly ownGroup: boolean
}

/** By number; null for one that is not started yet. */
const running = new Map<number, Running | null>()

const kill = ({ child, ownGroup }: Running): void => {
  if (ownGroup && child.pid !== undefined) killGroup(child.pid)
  else child.kill("SIGKILL")
}

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

/**
 * As a pipe of Node's own is in a child: a shell that reads of a socket that does not block would find it at its end. libuv
 * sees to that for the first three descriptors alone, and Node has no public way to say it.
 */
const block = (stream: Socket): void => {
  const { _handle: handle } = stream as unknown as { readonly _handle?: { setBlocking?: (on: boolean) => number } }
  if (handle?.setBlocking?.(true) !== 0) throw new Error("a stream cannot be made one that blocks")
}

const start = async ({ command, id }: Extract<SpawnerOrder, { readonly _tag: "Start" }>): Promise<void> => {
  running.set(id, null)
  const failed = (error: unknown) => {
    running.delete(id)
    say({ _tag: "Failed", id, reason: error instanceof Error ? error.message : String(error) })
  }
  const { args, cwd, env, file, output, ownGroup = false } = command
  const opening = Array.from({ length: command.streams }, (_, descriptor) =>
    descriptor === 1 && output !== undefined ? Promise.resolve(null) : open(id, descriptor)
  )
  let pipe: number | null = null
  try {
    const streams = await Promise.all(opening)
    if (!running.has(id)) return failed("it was killed before it was started")
    pipe = openedOutput(command)
    for (const stream of streams) if (stream !== null) block(stream)
    const stdio = stdioOf(command, (descriptor) => streams[descriptor] ?? "ignore", pipe)
    const child = spawn(file, args, { cwd, env, stdio, detached: ownGroup })
    child.once("exit", (code, signal) => {
      running.delete(id)
      say({ _tag: "Ended", id, code, signal })
    })
    const { pid } = child
    if (pid === undefined) return void child.once("error", failed)
    child.on("error", () => undefined)
    running.set(id, { child, ownGroup })
    say({ _tag: "Started", id, pid })
  } catch (error) {
    failed(error)
  } finally {
    // The new process has its own descriptors of them.
    if (pipe !== null) closeSync(pipe)
    for (const one of opening)
      one.then(
        (stream) => stream?.destroy(),
        () => undefined
      )
  }
}

process.on("message", (order: SpawnerOrder) => {
  if (order._tag === "Start") return void start(order)
  const one = running.get(order.id)
  if (one === null) running.delete(order.id)
  else if (one !== undefined) kill(one)
})
process.once("disconnect", () => {
  for (const one of running.values()) if (one !== null) kill(one)
  process.exit()
})
// What stops a group of processes is for the server, which still needs its apps while it stops.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined)
