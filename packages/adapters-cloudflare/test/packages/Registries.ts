/** Registries on this machine that tests inside workerd start, ask and end. Each is a process, and ends with this one. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { Registry } from "./Published.ts"

const running: Array<ChildProcess> = []

/** Starts one with these packages, as JSON. */
export const start = async (packages: string): Promise<Registry> => {
  const child = fork(join(import.meta.dirname, "RegistryProgram.ts"), { execArgv: ["--conditions=pawl-source"] })
  child.send(JSON.parse(packages) as object)
  const number = running.push(child) - 1
  const [said] = (await once(child, "message")) as [Omit<Registry, "number">]
  return { number, ...said }
}

/** The paths that one was asked for so far. */
export const asked = async (number: number): Promise<ReadonlyArray<string>> => {
  const child = running[number]
  if (child === undefined) return []
  child.send("asked")
  const [said] = (await once(child, "message")) as [{ readonly asked: ReadonlyArray<string> }]
  return said.asked
}

/** Ends one. */
export const stop = async (number: number): Promise<void> => {
  const child = running[number]
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  await once(child, "exit")
}
