/** The console as it is served: built from these sources. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const from = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The folder of what is published. */
export const dist = from("../../../dist")

/** Builds it where its sources changed; in a process of its own, whose environment is not a test's. */
export const buildConsole = (): void => {
  const { NODE_ENV: _, ...env } = process.env
  execFileSync(process.execPath, [from("../../../../../tools/build/ConsoleAlone.ts")], { env, stdio: "pipe" })
}
