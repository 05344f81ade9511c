/** `pawl approve --sign` on a clone of one's own: what is signed is what the clone shows. */
import { chmodSync, statSync } from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { join } from "node:path"
import type { CandidateJson } from "@pawl/server/api/RecordSchemas"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { gitClient, gitUrl } from "../kit/GitClient.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

const tiers = ["low", "medium", "high", "unknown"]

interface Made {
  readonly user: { readonly id: string }
  readonly token: string
}

describe("pawl approve", () => {
  const folder = temporaryFolder()
  const data = join(folder.path, "data")
  const key = join(folder.path, "keys", "owner")
  const client = gitClient(join(folder.path, "people"))
  let server: ServerProcess
  let projectId: string
  let count = 0

  /** As somebody with a token, at a server that may be another one. */
  const approve = (
    args: ReadonlyArray<string>,
    { as = token, input = "", url = server.origin }: { as?: string; input?: string; url?: string } = {}
  ) => pawl(["approve", ...args], { PAWL_URL: url, PAWL_TOKEN: as, HOME: folder.path }, input)
  const signing = (candidate: CandidateJson, ...more: ReadonlyArray<string>) => [
    candidate.id,
    "--sign",
    ...(more.includes("--key") ? [] : ["--key", key]),
    "--clone",
    client.path("clone"),
    ...more
  ]
  const candidate = async (): Promise<CandidateJson> => {
    const change = await Flow.openChange(server.api, projectId, `change-${count++}`)
    await Flow.edit(server.api, change, { "public/hello.txt": `${count}\n`, [`public/new-${count}.txt`]: "new\n" })
    return Flow.gated(server.api, (await Flow.requestCandidate(server.api, change)).id)
  }
  const approvals = async ({ changeId }: CandidateJson) =>
    (await server.api.get<{ items: ReadonlyArray<object> }>(`/v1/changes/${changeId}/approvals`)).items
  const shownRefs = async (as: string) =>
    (await client.git(".", "ls-remote", gitUrl(server.origin, projectId, as))).split("\n").map((line) => line.slice(41))

  beforeAll(async () => {
    server = await startServer({ data })
    projectId = (await Flow.createProject(server.api, "decided")).id
    await server.api.put(`/v1/projects/${projectId}/policy`, { approvalRiskTiers: tiers, approvalsSigned: tiers })
    await client.clone(gitUrl(server.origin, projectId, token), "clone")
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  it("makes a key for its owner's eyes and enrols it, once", async () => {
    const first = await approve(["--enroll", "--key", key])
    expect(first).toMatchObject({ code: 0, output: expect.stringMatching(/^\S+ {2}enrolled for usr_\S+ at localhost/) })
    expect(statSync(key).mode & 0o777).toBe(0o600)
    expect(await approve(["--enroll", "--key", key])).toEqual(first)
  })

  it("grants what the clone shows, with a signature that promotion and pawl verify count", async () => {
    const made = await candidate()
    expect(await shownRefs(token)).toContain(`refs/pawl/candidates/${made.id}`)
    const { code, output } = await approve(signing(made), { input: "yes\n" })
    expect(output).toContain(`Candidate  ${made.id}  verified`)
    expect(output).toContain(`tree       ${made.tree}`)
    expect(output).toMatch(/public\/hello\.txt +\| +2 \+-\n/)
    expect(output).toMatch(/^granted {2}apr_\S+ {2}signed by /m)
    expect(code).toBe(0)
    expect(await approvals(made)).toMatchObject([{ decision: "granted", tree: made.tree, passkey: {} }])
    expect(await Flow.promote(server.api, made.id)).toMatchObject({ outcome: "promoted", generation: 1 })
    // What is promoted stands in main, and need not be shown beside it.
    expect(await shownRefs(token)).not.toContain(`refs/pawl/candidates/${made.id}`)
    await Flow.released(server.api, projectId, 1)
    const keyid = /SHA256:[A-Za-z0-9+/]{43}/.exec((await pawl(["key", "show", "--data", data], {})).output)?.[0] ?? ""
    const verified = await Flow.until(
      () => pawl(["verify", data, "--key", keyid], { XDG_STATE_HOME: folder.path }),
      (said) => said.code === 0
    )
    expect(verified.output).toContain("1 passkeys")
  })

  it("sends nothing without a yes", async () => {
    const made = await candidate()
    for (const input of ["", "no\n", "y\n"]) {
      const said = await approve(signing(made), { input })
      expect(said).toMatchObject({ code: 1, output: expect.stringContaining("not sent: nobody said yes") })
    }
    expect(await approvals(made)).toEqual([])
    expect(await approve(signing(made, "--reject", "--yes"))).toMatchObject({ code: 0 })
    expect(await approvals(made)).toMatchObject([{ decision: "rejected", passkey: {} }])
  })

  describe("before a server that says something else", () => {
    let liar: Server
    let url: string
    /** What each answer of the API says in the place of something true. */
    let lies: ReadonlyArray<readonly [truth: string | RegExp, lie: string]> = []
    let asked: Array<string> = []

    const passOn = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
      const chunks: Array<Buffer> = []
      for await (const chunk of req) chunks.push(chunk)
      asked.push(`${req.method} ${req.url}`)
      const headers = { authorization: req.headers.authorization ?? "", "content-type": "application/json" }
      const body = req.method === "POST" ? { body: Buffer.concat(chunks) } : {}
      const answer = await fetch(`${server.origin}${req.url}`, { method: req.method ?? "GET", headers, ...body })
      let text = await answer.text()
      for (const [truth, lie] of lies) text = text.replaceAll(truth, lie)
      res.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" }).end(text)
    }

    beforeAll(async () => {
      liar = createServer((req, res) => void passOn(req, res))
      await new Promise<void>((resolve) => liar.listen(0, "127.0.0.1", resolve))
      const address = liar.address()
      url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
    })
    afterAll(() => new Promise((resolve) => liar.close(resolve)))

    it("names what is another, signs nothing and sends nothing", async () => {
      const made = await candidate()
      const other = "0123456789abcdef0123456789abcdef01234567"
      // Of the text that is to be signed alone: an API that shows the right Candidate, and wants another thing signed.
      const within = (field: string, value: string): readonly [RegExp, string] => [
        new RegExp(`(\\\\"${field}\\\\":\\\\")[^"\\\\]*`, "g"),
        `$1${value}`
      ]
      // What else can be another is in Decisions.test.ts.
      const scenes: ReadonlyArray<readonly [lie: readonly [string | RegExp, string], named: ReadonlyArray<string>]> = [
        [[made.tree ?? "", other], [`tree: the clone has ${made.tree}, the server ${other}`]],
        [within("tree", other), [`tree: the clone has ${made.tree}, the server ${other}`]]
      ]
      for (const [lie, named] of scenes) {
        lies = [lie]
        asked = []
        const { code, output } = await approve(signing(made, "--yes"), { url })
        expect(output).toContain("not sent: the server says something else than this clone")
        for (const words of named) expect(output).toContain(words)
        expect(code).toBe(1)
        expect(asked.filter((each) => each.startsWith("POST"))).toEqual([])
      }
      lies = []
      expect((await approve(signing(made, "--yes"), { url })).code).toBe(0)
    })

    it("endorses no other key than the one that it was told", async () => {
      const other = join(folder.path, "keys", "other")
      lies = [[/\\"user\\":\\"[^\\]*/g, '\\"user\\":\\"usr_thief']]
      const said = await approve(["--enroll", "--key", other, "--endorsed-by", key, "--yes"], { url })
      expect(said).toMatchObject({ code: 2, output: expect.stringContaining("wants something else endorsed") })
      lies = []
      expect((await approve(["--enroll", "--key", other, "--endorsed-by", key, "--yes"])).code).toBe(0)
    })
  })

  it("takes a second person's key by an owner's endorsement, and her approval beside the owner's", async () => {
    const { token: hers, user } = await server.api.post<Made>("/v1/users", { name: "Ann" })
    await server.api.put(`/v1/projects/${projectId}/members`, { members: [{ userId: user.id, role: "member" }] })
    await server.api.put(`/v1/projects/${projectId}/policy`, {
      approvalRiskTiers: tiers,
      approvalsSigned: tiers,
      approvalsRequired: 2
    })
    const herKey = join(folder.path, "keys", "ann")
    const alone = await approve(["--enroll", "--key", herKey], { as: hers })
    const [, line = ""] = /--public (\S+)/.exec(alone.output) ?? []
    expect([alone.code, line]).toEqual([1, expect.stringContaining(".localhost")])
    const endorsed = await approve(["--enroll", "--key", key, "--for", user.id, "--public", line, "--yes"])
    expect(endorsed).toMatchObject({ code: 0, output: expect.stringContaining(`enrolled for ${user.id}`) })
    const made = await candidate()
    expect((await approve(signing(made, "--yes"))).code).toBe(0)
    // The owner's key is not hers to use.
    const borrowed = await approve(signing(made, "--yes"), { as: hers })
    expect(borrowed).toMatchObject({ code: 2, output: expect.stringContaining(`the token of ${user.id}`) })
    expect((await approve(signing(made, "--yes", "--key", herKey), { as: hers })).code).toBe(0)
    expect(await Flow.promote(server.api, made.id)).toMatchObject({ outcome: "promoted" })
  })

  it("tells a token that it may not, and a key that others may read", async () => {
    const made = await candidate()
    const reads = (await server.api.post<{ token: string }>("/v1/tokens", { name: "reads", scopes: ["read"] })).token
    const { token: stranger } = await server.api.post<Made>("/v1/users", { name: "Nobody" })
    expect(await approve(signing(made, "--yes"), { as: reads })).toMatchObject({
      code: 2,
      output: expect.stringContaining("insufficient_scope")
    })
    expect(await approve(signing(made, "--yes"), { as: stranger })).toMatchObject({
      code: 2,
      output: expect.stringContaining("unknown_candidate")
    })
    // Whoever may not read the Project is shown none of its Candidates.
    const listed = await client.run(".", ["ls-remote", gitUrl(server.origin, projectId, stranger)])
    expect(listed.output).not.toContain("refs/pawl")
    const unsigned = await approve([made.id, "--clone", client.path("clone"), "--yes"])
    expect(unsigned).toMatchObject({ code: 2, output: expect.stringContaining("passkey_required") })
    chmodSync(key, 0o640)
    expect(await approve(signing(made, "--yes"))).toMatchObject({
      code: 2,
      output: expect.stringContaining("can be read by others")
    })
    expect(await approvals(made)).toEqual([])
  })
})
