/** Every path of git's, called by everyone who may not. The HTTP contract does not hold them, so they have a table here. */
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { gzipSync } from "node:zlib"
import { join } from "node:path"
import { ServerLimits } from "@pawl/server/ServerLimits"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { gitClient, gitUrl } from "../kit/GitClient.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

interface Made {
  readonly user: { readonly id: string }
  readonly token: string
}

const paths = [
  ["GET", "info/refs?service=git-upload-pack", "read"],
  ["POST", "git-upload-pack", "read"],
  ["GET", "info/refs?service=git-receive-pack", "write"],
  ["POST", "git-receive-pack", "write"]
] as const
const writes = paths.filter(([, , need]) => need === "write")

describe("git's paths", () => {
  const folder = temporaryFolder()
  const client = gitClient(join(folder.path, "people"))
  const tokens: Record<string, string> = {}
  let server: ServerProcess
  let projectId: string

  const ask = (
    method: string,
    path: string,
    options: {
      readonly authorization?: string
      readonly headers?: Record<string, string>
      readonly body?: Uint8Array | string
    } = {}
  ) => {
    const service = path.replace(/^.*git-/, "git-")
    return fetch(`${server.origin}/git/${path}`, {
      method,
      headers: {
        ...(options.authorization === undefined ? {} : { authorization: options.authorization }),
        ...(method === "POST" ? { "content-type": `application/x-${service}-request` } : {}),
        ...options.headers
      },
      ...(method === "POST" ? { body: options.body ?? "0000" } : {})
    })
  }
  const basic = (text: string) => `Basic ${Buffer.from(`git:${text}`).toString("base64")}`
  const at = (path: string) => `${projectId}.git/${path}`
  const answer = async (response: Response) => [response.status, await response.text()] as const

  beforeAll(async () => {
    server = await startServer({ data: join(folder.path, "data"), environment: { PAWL_PAUSED: "true" } })
    projectId = (await Flow.createProject(server.api, "guarded")).id
    const made = async (name: string, role?: string) => {
      const { user, token: text } = await server.api.post<Made>("/v1/users", { name })
      tokens[name] = text
      return { userId: user.id, role }
    }
    await made("stranger")
    await server.api.put(`/v1/projects/${projectId}/members`, {
      members: [await made("viewer", "viewer"), await made("member", "member")]
    })
    const issue = async (name: string, body: object) =>
      (tokens[name] = (await server.api.post<{ token: string }>("/v1/tokens", { name, ...body })).token)
    await issue("reading", { scopes: ["read"] })
    await issue("writing", { scopes: ["write"] })
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  describe.each(paths)("%s %s", (method, path, need) => {
    it("asks whoever brings no token for one, as git understands it", async () => {
      for (const authorization of [
        undefined,
        "Basic",
        `Basic ${Buffer.from("x:").toString("base64")}`,
        "Digest x",
        "Basic !!"
      ]) {
        const response = await ask(method, at(path), authorization === undefined ? {} : { authorization })
        expect(response.status).toBe(401)
        expect(response.headers.get("www-authenticate")).toBe('Basic realm="pawl", charset="UTF-8"')
      }
    })

    it("takes no token that is not one", async () => {
      for (const authorization of [basic("pawl_wrong"), "Bearer pawl_wrong", basic(`${token}x`), basic(`x:${token}`)])
        expect((await ask(method, at(path), { authorization })).status).toBe(401)
    })

    it("tells a stranger of a Project exactly what it tells of none", async () => {
      const none = "proj_00000000-0000-4000-8000-000000000000"
      const authorization = basic(tokens["stranger"] ?? "")
      const [there, absent] = [
        await answer(await ask(method, at(path), { authorization })),
        await answer(await ask(method, `${none}.git/${path}`, { authorization }))
      ]
      expect(there[0]).toBe(404)
      expect(there[1].replace(projectId, "")).toBe(absent[1].replace(none, ""))
    })

    it(`needs the scope ${need}`, async () => {
      const other = need === "read" ? "writing" : "reading"
      const [status, text] = await answer(await ask(method, at(path), { authorization: basic(tokens[other] ?? "") }))
      expect([status, text]).toEqual([403, expect.stringContaining(`the scope ${need}`)])
    })

    it("takes the token of a member, as a password and as a bearer token", async () => {
      for (const authorization of [basic(tokens["member"] ?? ""), `Bearer ${tokens["member"]}`, basic(token)])
        expect((await ask(method, at(path), { authorization })).status).toBe(200)
    })
  })

  it.each(writes)("%s %s refuses a viewer, who may clone", async (method, path) => {
    const authorization = basic(tokens["viewer"] ?? "")
    expect(await answer(await ask(method, at(path), { authorization }))).toEqual([
      403,
      "This needs the role member; yours is viewer.\n"
    ])
    expect((await ask("GET", at("info/refs?service=git-upload-pack"), { authorization })).status).toBe(200)
  })

  it("shows the words of a refusal in git", async () => {
    const seen = await client.clone(gitUrl(server.origin, projectId, tokens["viewer"] ?? ""), "seen")
    expect(seen.code).toBe(0)
    await client.commit("seen", { "x.txt": "x\n" })
    const refused = await client.run("seen", ["push", "origin", "HEAD:refs/heads/x"])
    expect(refused.output).toContain("remote: This needs the role member; yours is viewer.")
    const wrong = await client.clone(gitUrl(server.origin, projectId, "pawl_wrong"), "wrong")
    expect(wrong.output).toContain("Authentication failed")
  })

  it.each([
    ["GET", "info/refs", 400],
    ["GET", "info/refs?service=git-upload-archive", 400],
    ["GET", "HEAD", 404],
    ["GET", "config", 404],
    ["GET", "objects/info/packs", 404],
    ["GET", "../../../etc/passwd", 404],
    ["GET", "info/refs/../../config?service=git-upload-pack", 404],
    ["POST", "git-upload-archive", 404],
    ["POST", "info/refs?service=git-upload-pack", 405],
    ["GET", "git-receive-pack", 405],
    ["DELETE", "git-receive-pack", 405]
  ])("%s %s is %d for everyone", async (method, path, status) => {
    expect((await ask(method, at(path), { authorization: basic(token) })).status).toBe(status)
  })

  it("bounds a body as it is sent and as it unpacks", async () => {
    const authorization = basic(token)
    const zipped = { authorization, headers: { "content-encoding": "gzip" } }
    const bomb = gzipSync(Buffer.alloc(ServerLimits.gitFetchBytes + 1))
    expect((await ask("POST", at("git-upload-pack"), { ...zipped, body: bomb })).status).toBe(413)
    expect((await ask("POST", at("git-upload-pack"), { ...zipped, body: "no gzip" })).status).toBe(400)
    expect((await ask("POST", at("git-upload-pack"), { ...zipped, body: gzipSync("0000") })).status).toBe(200)
    const larger = gzipSync(Buffer.alloc(LocalLimits.gitPushBytes + ServerLimits.gitDiscardBytes + 1))
    expect((await ask("POST", at("git-receive-pack"), { ...zipped, body: larger })).status).toBe(413)
    const other = { authorization, headers: { "content-encoding": "br" }, body: "x" }
    expect((await ask("POST", at("git-receive-pack"), other)).status).toBe(415)
    const html = { authorization, headers: { "content-type": "text/plain" } }
    expect((await ask("POST", at("git-receive-pack"), html)).status).toBe(415)
    expect((await ask("POST", at("git-receive-pack"), { authorization, body: "PACK" })).status).toBe(400)
  })
})
