/** `pawl verify` of an app's own host: it needs no token and no server but that, and trusts one key. */
import { createServer } from "node:http"
import { join } from "node:path"
import { slice } from "@pawl/testing/Depth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { hostBefore } from "../kit/HostBefore.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"
import { codesIn, verifier } from "../kit/Verifying.ts"

const page = "/__service/provenance.json"

describe("pawl verify, of an app's own host", () => {
  const folder = temporaryFolder()
  const data = join(folder.path, "data")
  const { fresh, verify } = verifier(folder.path)
  let server: ServerProcess
  let id: string
  let key: string
  /** What the host said of its first release, when a checkpoint covered it. */
  let before: string

  const app = () => `http://shop.apps.localhost:${server.port}`
  const own = (path: string) => server.api.page(`${app()}${path}`).then(({ text }) => text)
  const good = () =>
    Flow.until(
      () => verify(app(), key),
      ({ code }) => code === 0
    )
  const through = async (alter: Parameters<typeof hostBefore>[2], state = fresh("state")) => {
    const router = await hostBefore(server.port, "shop", alter)
    const ended = await pawl(["verify", router.named, "--key", key], { XDG_STATE_HOME: state })
    await router.close()
    return ended
  }
  const saying = (change: (fields: Record<string, unknown>) => unknown) => (path: string, body: Buffer) =>
    path === page ? JSON.stringify(change(JSON.parse(body.toString()))) : body
  const release = async (name: "one" | "two", generation: number): Promise<void> => {
    const change = await Flow.openChange(server.api, id, name)
    await Flow.edit(server.api, change, { "src/index.js": Flow.source(name)["src/index.js"]! })
    const candidate = await Flow.gated(server.api, (await Flow.requestCandidate(server.api, change)).id)
    await Flow.promote(server.api, candidate.id)
    await Flow.liveApp(server.api, id, generation)
  }

  beforeAll(async () => {
    server = await startServer({ data })
    id = (await Flow.createProject(server.api, "shop", Flow.source("zero"))).id
    await Flow.liveApp(server.api, id, 0)
    key = /SHA256:[A-Za-z0-9+/]{43}/.exec((await pawl(["key", "show", "--data", data], {})).output)?.[0] ?? ""
    await good()
    before = await own(page)
    await release("one", 1)
    await release("two", 2)
    await good()
  }, 300_000)
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  it("finds nothing, and says what is served, with nothing but the first key", async () => {
    const ended = await verify(app(), key)
    const versions = await server.api.get<{ items: ReadonlyArray<{ commit: string }> }>(`/v1/projects/${id}/versions`)
    expect(ended.output).toMatch(
      /^ok {3}proj_\S+ {2}S2 {2}commit [0-9a-f]{40} {2}bundle [0-9a-f]{64} {2}entry \d+ {2}by SHA256:/
    )
    expect(ended.output).toContain(`${id}  S2  commit ${versions.items[0]?.commit}  `)
    expect(ended.output).toContain("not looked at, for it is not here: files as a host serves them")
    expect(ended.code).toBe(0)
    const told = JSON.parse((await verify(app(), key, "--json")).output)
    expect(told).toMatchObject([{ project: id, findings: [], missing: [], isSummed: true, served: { generation: 2 } }])
  })

  const lies: ReadonlyArray<[what: string, code: string, alter: (fields: Record<string, unknown>) => unknown]> = [
    ["another bundle", "live_mismatch", (fields) => ({ ...fields, bundle: { sha256: "e".repeat(64) } })],
    ["another commit", "live_mismatch", (fields) => ({ ...fields, commit: "e".repeat(40) })],
    ["no statement", "live_unstated", (fields) => ({ ...fields, statement: null })]
  ]
  it.each(slice(lies, { quick: 1 }))("names a router that serves %s: %s", async (_, code, alter) => {
    const ended = await through(saying(alter))
    expect([ended.code, codesIn(ended)]).toEqual([1, [code]])
  })

  it("names a router that serves what it did before, to who has seen what came after", async () => {
    const state = fresh("state")
    expect((await pawl(["verify", app(), "--key", key], { XDG_STATE_HOME: state })).code).toBe(0)
    const older = (path: string, body: Buffer) => (path === page ? before : body)
    const ended = await through(older, state)
    expect(codesIn(ended)).toContain("release_superseded")
    expect(ended.code).toBe(1)
    // Whoever sees it for the first time sees a release that was good once.
    expect((await through(older)).code).toBe(0)
  })

  it("names the page of one host at another", async () => {
    const router = await hostBefore(server.port, "shop", (_, body) => body)
    const ended = await verify(router.named.replace("//shop.", "//bank."), key)
    await router.close()
    expect([ended.code, codesIn(ended)]).toEqual([1, ["release_other_place"]])
  })

  it("pins the key of a host on first use, and trusts no other one then", async () => {
    const state = { XDG_STATE_HOME: fresh("state") }
    const unknown = await pawl(["verify", app()], state)
    expect(unknown).toMatchObject({ code: 2, output: expect.stringContaining("no key is trusted") })
    expect((await pawl(["verify", app(), "--trust-on-first-use"], state)).code).toBe(0)
    expect((await pawl(["verify", app()], state)).code).toBe(0)
    const other = await pawl(["verify", app(), "--key", `SHA256:${"A".repeat(43)}`], state)
    expect([other.code, codesIn(other)]).toEqual([1, ["key_not_trusted"]])
  })

  it("could not verify what is away, is no Pawl, or tells too little: exit 2, in words", async () => {
    const away = await verify("http://shop.apps.localhost:9", key)
    expect(away).toMatchObject({ code: 2, output: expect.stringContaining("cannot be read: ") })
    const bare = createServer((_, answer) => answer.writeHead(404).end("nothing"))
    await new Promise<void>((resolve) => bare.listen(0, "127.0.0.1", resolve))
    const address = bare.address()
    const none = await verify(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, key)
    await new Promise((resolve) => bare.close(resolve))
    expect(none).toMatchObject({ code: 2, output: expect.stringContaining("no Pawl answers there") })
    const less = await through(saying((fields) => ({ ...fields, keys: null })))
    expect(less).toMatchObject({ code: 2, output: expect.stringContaining("the history of keys is not there") })
    const pack = await verify(app(), key, "--pack", fresh("pack"))
    expect(pack).toMatchObject({ code: 2, output: expect.stringContaining("does not tell enough for --pack") })
    await server.stop()
    server = await startServer({ data, environment: { PAWL_PROVENANCE_PUBLIC: "none" } })
    await Flow.liveApp(server.api, id, 2)
    const silent = await verify(app(), key)
    expect(silent).toMatchObject({ code: 2, output: expect.stringContaining("PAWL_PROVENANCE_PUBLIC is none") })
  })
})
