/** A sibling file in a process of its own, which is killed with the scope. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { oneFile } from "../../adapters-local/test/OneFile.ts"

export const childOf = (file: string, args: ReadonlyArray<string>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const path = await oneFile(fileURLToPath(new URL(`./${file}.ts`, import.meta.url)))
        const child = spawn(process.execPath, [path, ...args], { stdio: ["pipe", "pipe", "inherit"] })
        const exited = once(child, "exit")
        const lines: AsyncIterator<string> = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
        return { child, exited, lines }
      }),
      ({ child, exited }) => Effect.promise(() => (child.kill("SIGKILL"), exited))
    ),
    ({ child, lines }) => ({
      /** The next line that it says; null when it said its last. */
      line: Effect.promise(async () => {
        const next = await lines.next()
        return next.done === true ? null : next.value
      }),
      tell: (text: string) => Effect.sync(() => void child.stdin.write(text)),
      signal: (name: NodeJS.Signals) => Effect.sync(() => void child.kill(name))
    })
  )
