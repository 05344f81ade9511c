/** The beginnings of a workerd process: until it waits for its configuration, and from there until it listens. */
import { readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { AppRuntimeUnavailable } from "@pawl/core/app/AppRuntime"
import { LocalLimits } from "../../LocalLimits.ts"
import type { SpawnedProcess } from "../../spawner/SpawnedProcess.ts"

/** The failure of a process that could not be started; `reason` is for people. */
export const unavailable = (reason: string) => new AppRuntimeUnavailable({ reason })

/** Why an app's process did not come to listen: what workerd said of the app itself, or null when it died without a word. */
export class NotListening extends Error {
  readonly said: string | null
  constructor(said: string | null) {
    super(said ?? "the process ended at its start")
    this.said = said
  }
}

/** The process at the end of a chain of wrappers. */
const leafOf = (pid: number): number => {
  const child = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0]
  return child === undefined || child === "" ? pid : leafOf(Number(child))
}

const nameOf = (pid: number): string => readFileSync(`/proc/${pid}/comm`, "utf8").trim()

/** The process id of workerd, once the wrappers around it have started it. It then waits for its configuration. */
export const workerdOf = async (child: SpawnedProcess, said: () => string): Promise<number> => {
  const untilMs = performance.now() + LocalLimits.appStartMs
  for (;;) {
    if (!child.alive) throw unavailable(`workerd ended at its start: ${said().slice(0, LocalLimits.appReasonLength)}`)
    try {
      const pid = leafOf(child.pid)
      if (nameOf(pid) === "workerd") return pid
    } catch {
      // A wrapper between two of its steps.
    }
    if (performance.now() > untilMs) throw unavailable(`workerd did not start within ${LocalLimits.appStartMs} ms`)
    await pause(LocalLimits.appStartLookMs)
  }
}

/** What workerd says of an app that it cannot start: a line of JSON with this at the beginning of its message. */
const aboutApp = "service app: Uncaught "

const messageOf = (line: string): string => {
  try {
    const said: unknown = JSON.parse(line)
    return typeof said === "object" && said !== null && "message" in said ? String(said.message) : ""
  } catch {
    return ""
  }
}

const complaintOf = (said: string): string | null => {
  const message = said
    .split("\n")
    .map(messageOf)
    .find((one) => one.startsWith(aboutApp))
  return message === undefined ? null : message.slice(aboutApp.length)
}

/**
 * Resolves when workerd listens. Rejects with `NotListening` when it ends first, with `AppRuntimeUnavailable` when it
 * takes too long.
 */
export const listening = (child: SpawnedProcess, said: () => string): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => settle(() => reject(unavailable(`an app did not start within ${LocalLimits.appStartMs} ms`))),
      LocalLimits.appStartMs
    )
    let told = ""
    const hear = (chunk: Buffer) => {
      told += chunk.toString("utf8")
      if (told.includes('"app"')) settle(resolve)
    }
    const settle = (end: () => void) => {
      clearTimeout(timer)
      child.streams[3]?.off("data", hear)
      end()
    }
    child.streams[3]?.on("data", hear)
    // After the end of its output, so that its last words are there.
    void child.closed.then(() => settle(() => reject(new NotListening(complaintOf(said())))))
  })
