import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { slice } from "@pawl/testing/Depth"
import { describe, expect, it } from "vitest"
import { compiled, main } from "../e2e/kit/CompiledPrograms.ts"
import { startServer, temporaryFolder, token } from "../e2e/kit/ServerProcess.ts"
import { document } from "./Documents.ts"
import { notRun, runInOrder, shellPages } from "./Shell.ts"

/** What a page finds in its shell: the command `pawl`, and a home of its own for sign-ins. */
const shellWithPawl = async (home: string): Promise<Readonly<Record<string, string>>> => {
  const folder = join(home, "bin")
  mkdirSync(folder)
  const program = `#!/bin/sh\nexec '${process.execPath}' --conditions=pawl-source '${await compiled(main)}' "$@"\n`
  writeFileSync(join(folder, "pawl"), program)
  chmodSync(join(folder, "pawl"), 0o755)
  const path = [folder, dirname(process.execPath), process.env["PATH"] ?? ""].join(":")
  return { PATH: path, XDG_CONFIG_HOME: join(home, "config") }
}

const [first = "", ...others] = shellPages

describe("The commands of a page", () => {
  // What is read first is run at every depth; each page is a server and the whole way to a host.
  it.each([first, ...slice(others, { quick: 2 })])(
    "do what the page says, in order, on a new server: %s",
    async (path) => {
      const folder = temporaryFolder()
      const home = temporaryFolder()
      const server = await startServer({ data: folder.path })
      try {
        const blocks = document(path).blocks.filter(({ language, text }) => language === "sh" && !notRun.has(text))
        expect(blocks.length).toBeGreaterThan(0)
        const { code, output } = await runInOrder(blocks, {
          PAWL: server.origin,
          TOKEN: token,
          ...(await shellWithPawl(home.path))
        })
        expect(`${output}\nended with ${code}`).toContain("ended with 0")
      } finally {
        await server.stop()
        folder.remove()
        home.remove()
      }
    },
    300_000
  )

  it("are told apart from ones that fail", async () => {
    const failing = { page: "wrong.md", line: 7, language: "sh", text: "echo before\nfalse\necho after" }
    const { code, output } = await runInOrder([failing], {})
    expect(code).toBe(1)
    expect(output).toBe("== block wrong.md:7\nbefore\n")
  })
})
