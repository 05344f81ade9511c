import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { startServer, temporaryFolder, token } from "../../packages/server/test/e2e/kit/ServerProcess.ts"

/** Runs an example as its head says, in a process of its own. */
const run = (name: string, args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) =>
  new Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }>((resolve) => {
    const file = fileURLToPath(new URL(`../${name}`, import.meta.url))
    const child = spawn(
      process.execPath,
      ["--conditions=pawl-source", "--disable-warning=ExperimentalWarning", file, ...args],
      {
        env: { PATH: process.env["PATH"] ?? "", ...environment },
        stdio: ["ignore", "pipe", "pipe"]
      }
    )
    let output = ""
    let errors = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text))
    child.once("close", (code) => resolve({ code, output, errors }))
  })

describe("An example", () => {
  it("takes its first change live on a running server", async () => {
    const folder = temporaryFolder()
    const server = await startServer({ data: folder.path })
    try {
      const { code, output, errors } = await run("01-first-change.ts", ["first"], { PAWL: server.origin, TOKEN: token })
      expect({ code, errors }).toEqual({ code: 0, errors: "" })
      expect(output).toContain("the release is deployed")
      expect((await server.api.page(`http://first.apps.localhost:${server.port}/hours.txt`)).text).toBe("9 to 18\n")
    } finally {
      await server.stop()
      folder.remove()
    }
  })

  it("embeds the core and runs a change through to its release, in memory", async () => {
    const { code, output, errors } = await run("02-embed-core.ts", [], {})
    expect({ code, errors }).toEqual({ code: 0, errors: "" })
    expect(output).toContain("S1 is deployed")
    expect(output).toContain("11 change.completed")
  })
})
