/** Starting by a fork of this very process, which stands still meanwhile: 5 ms with 100 MB of memory, 15 with 300. */
import { spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { Duplex } from "node:stream"
import { killGroup } from "../ProcessGroup.ts"
import type { Ended, Starter } from "./Starter.ts"
import { openedOutput, stdioOf } from "./Stdio.ts"

/** Each `pipe` of Node's is a socket in both directions. */
const duplex = (stream: unknown): Duplex | undefined => (stream instanceof Duplex ? stream : undefined)

/** Forks this process. */
export const startHere: Starter = (command) =>
  new Promise((resolve, reject) => {
    const { args, cwd, env, file, ownGroup = false } = command
    const output = openedOutput(command)
    try {
      const stdio = stdioOf(command, () => "pipe" as const, output)
      const child = spawn(file, args, { cwd, env, stdio, detached: ownGroup })
      // Of one that runs it says that a signal did not reach it.
      child.on("error", (cause) => reject(new Error("code" in cause ? String(cause.code) : cause.message)))
      const { pid } = child
      if (pid === undefined) return
      let isClosed = false
      const ended = new Promise<Ended>((tell) =>
        child.once("exit", (code, signal) => tell({ code, signal, lost: false }))
      )
      const closed = new Promise<void>((tell) =>
        child.once("close", () => {
          isClosed = true
          tell()
        })
      )
      const isThere = () => child.exitCode === null && child.signalCode === null
      const kill = () => {
        if (!ownGroup) child.kill("SIGKILL")
        else if (!isClosed) killGroup(pid)
      }
      const streams = child.stdio.slice(0, command.streams).map(duplex)
      resolve({ pid, streams, ended, closed, isThere, kill })
    } finally {
      // The new process has its own descriptor of it.
      if (output !== null) closeSync(output)
    }
  })
