import { describe, expect, it } from "vitest"
import { startServer, temporaryFolder, token } from "../e2e/kit/ServerProcess.ts"
import { document } from "./Documents.ts"
import { notRun, runInOrder, shellPages } from "./Shell.ts"

describe("The commands of a page", () => {
  it.each(shellPages)(
    "do what the page says, in order, on a new server: %s",
    async (path) => {
      const folder = temporaryFolder()
      const server = await startServer({ data: folder.path })
      try {
        const blocks = document(path).blocks.filter(({ language, text }) => language === "sh" && !notRun.has(text))
        expect(blocks.length).toBeGreaterThan(0)
        const { code, output } = await runInOrder(blocks, { PAWL: server.origin, TOKEN: token })
        expect(`${output}\nended with ${code}`).toContain("ended with 0")
      } finally {
        await server.stop()
        folder.remove()
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
