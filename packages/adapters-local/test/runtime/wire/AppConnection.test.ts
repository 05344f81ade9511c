import { createServer } from "node:net"
import { join } from "node:path"
import { rmSync } from "node:fs"
import { afterAll, describe, expect, it } from "vitest"
import { AppConnection } from "../../../src/runtime/wire/AppConnection.ts"
import { freshFolder } from "../RuntimeWorld.ts"

const folder = freshFolder()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("the connection to a process", () => {
  it("tells whoever waits that the process is gone, also when its socket has not closed yet", async () => {
    const path = join(folder, "silent.sock")
    const asked = Promise.withResolvers<void>()
    const server = createServer((socket) => void socket.once("data", () => asked.resolve()))
    await new Promise<void>((resolve) => server.listen(path, resolve))
    const connection = new AppConnection(path)
    const broken = Promise.withResolvers<boolean>()
    const ignored = () => undefined
    connection.ask("GET / HTTP/1.1\r\n\r\n", null, false, {
      head: ignored,
      data: ignored,
      end: ignored,
      fed: ignored,
      drained: ignored,
      broken: broken.resolve
    })
    await asked.promise
    connection.gone()
    expect(await broken.promise).toBe(false)
    server.close()
  })
})
