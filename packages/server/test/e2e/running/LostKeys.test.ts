import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import { slice } from "@pawl/testing/Depth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import { python } from "../kit/Verifying.ts"

const keyidIn = (text: string): string => /SHA256:[A-Za-z0-9+/]{43}/.exec(text)?.[0] ?? ""

describe("Keys that are lost", () => {
  const folder = temporaryFolder()
  const data = join(folder.path, "data")
  let server: ServerProcess
  let id: string
  let first: string
  let states = 0

  const key = (...args: ReadonlyArray<string>) => pawl(["key", ...args], { PAWL_DATA: data })
  const verified = (keys: string, ...more: ReadonlyArray<string>) =>
    pawl(["verify", data, "--key", keys, ...more], { XDG_STATE_HOME: join(folder.path, `state-${states++}`) })
  const good = (keys: string) =>
    Flow.until(
      () => verified(keys),
      ({ code, output }) => code === 0 && !output.includes("statement_unsigned")
    )
  const policy = (tier: string) => server.api.put(`/v1/projects/${id}/policy`, { approvalRiskTiers: [tier] })
  /** By which key the newest checkpoint of the Project's log was made, and that of the key history's: what notes say. */
  const made = async (): Promise<ReadonlyArray<string>> => {
    const headers = { authorization: `Bearer ${token}` }
    const ofProject = await fetch(`${server.origin}/v1/projects/${id}/checkpoint`, { headers })
    const { checkpoint } = await server.api.get<{ checkpoint: string | null }>("/v1/keys")
    return [await ofProject.text(), checkpoint ?? ""].map((note) =>
      Buffer.from(note.trimEnd().split(" ").at(-1) ?? "", "base64").toString("hex", 0, 4)
    )
  }
  /** What the other program says of the same. */
  const other = async (keys: string) => {
    const pack = join(folder.path, `pack-${states}`)
    await verified(keys, "--pack", pack)
    return python(pack)
  }

  beforeAll(async () => {
    server = await startServer({ data })
    id = (await Flow.createProject(server.api, "lost")).id
    await Flow.liveApp(server.api, id, 0)
    first = keyidIn((await key("show")).output)
    await good(first)
  }, 300_000)
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  const stories: ReadonlyArray<readonly [promise: string, story: () => Promise<void>]> = [
    [
      "the log's: its next one was handed over by nobody, says so, and makes checkpoints that hold",
      async () => {
        const before = await made()
        await server.stop()
        rmSync(join(data, "log-key"))
        server = await startServer({ data })
        await policy("high")
        const { code, output } = await key("rotate", "--log")
        expect([code, output]).toEqual([0, expect.stringContaining("the key before did not hand over to it")])
        await policy("medium")
        // Each log has a checkpoint at most every 10 s. A pack trusts one line of keys: the new one, once it made both.
        await Flow.until(made, (now) => now.every((key, at) => key !== before[at]))
        const { output: said } = await good(first)
        expect(said).toContain("3 keys")
        expect((await key("show")).output).toContain(`${keyidIn(output)}  log`)
        expect(await other(first)).toEqual({ code: 0, output: expect.any(String) })
      }
    ],
    [
      "that of statements, with a database that was put back to before it followed: an epoch, then a reset",
      async () => {
        await server.stop()
        const parts = ["pawl.db", "repositories"]
        for (const part of parts) cpSync(join(data, part), join(folder.path, part), { recursive: true })
        server = await startServer({ data })
        expect((await key("rotate")).code).toBe(0)
        await policy("low")
        await good(first)
        await server.stop()
        for (const part of parts) {
          rmSync(join(data, part), { recursive: true })
          cpSync(join(folder.path, part), join(data, part), { recursive: true })
        }
        expect((await verified(first)).output).toContain("log_behind")
        const begun = await key("epoch")
        expect([begun.code, begun.output]).toEqual([0, expect.stringContaining("instance  goes on in epoch 2")])
        const reset = await key("reset")
        expect([reset.code, reset.output]).toEqual([0, expect.stringContaining("must be told to trust it")])
        const both = `${first} ${keyidIn(reset.output)}`
        server = await startServer({ data })
        await policy("high")
        await good(both)
        expect(await other(both)).toEqual({ code: 0, output: expect.any(String) })
        expect(await verified(first)).toMatchObject({ code: 1, output: expect.stringContaining("key_unknown") })
      }
    ]
  ]
  // Each starts the server several times, and many commands.
  it.each(slice(stories, { quick: 1 }))("%s", (_, story) => story(), 300_000)
})
