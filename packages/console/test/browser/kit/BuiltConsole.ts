/** The console as it is served: built from these sources. */
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const from = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The folder of what is published. */
export const dist = from("../../../dist")

/** Builds it where its sources changed. `NODE_ENV` is a test's here: what is published must not depend on it. */
export const buildConsole = (): void => {
  execFileSync(process.execPath, [from("../../../../../tools/build/ConsoleAlone.ts")], { stdio: "pipe" })
}
