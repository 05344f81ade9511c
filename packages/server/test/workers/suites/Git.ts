/** git for people, as the real client has it: the same paths, rights, refs and words as a server on a machine. */
import { createCipheriv } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { CloudflareLimits } from "@pawl/adapters-cloudflare/CloudflareLimits"
import type { ChangeSet } from "@pawl/core/model/ChangeSet"
import { Limits } from "@pawl/core/primitives/Limits"
import type { ChangeJson } from "@pawl/server/api/RecordSchemas"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Installed } from "../../../../../deploy/cloudflare/Here.ts"
import * as Flow from "../../e2e/kit/Flow.ts"
import { gitClient, gitUrl } from "../../e2e/kit/GitClient.ts"
import { ServerLimits } from "@pawl/server/ServerLimits"

const refOf = (change: ChangeJson) => `refs/changes/${change.id}`

interface Made {
  readonly user: { readonly id: string }
  readonly token: string
}

interface Canonical {
  readonly generation: number
  readonly commit: string
  readonly tree: string
}

/** Tests of git at an installation. */
export const gits = (installed: () => Installed): void => {
  describe("git for people in workerd", () => {
    const folder = mkdtempSync(join(tmpdir(), "pawl-workers-git-"))
    const client = gitClient(folder)
    let projectId: string
    let names = 0

    const origin = () => installed().origin.replace("localhost", "127.0.0.1")
    const url = (token = installed().owner) => gitUrl(origin(), projectId, token)
    const newChange = () => Flow.openChange(installed().api, projectId, `git-${names++}`)
    const clone = async (...args: ReadonlyArray<string>): Promise<string> => {
      const name = `clone-${names++}`
      const { code, output } = await client.clone(url(), name, ...args)
      expect([code, output]).toEqual([0, expect.anything()])
      return name
    }
    const push = (name: string, change: ChangeJson, from = "HEAD") =>
      client.run(name, ["push", "origin", `${from}:${refOf(change)}`])
    const changeSets = async (change: ChangeJson): Promise<ReadonlyArray<ChangeSet>> =>
      (await installed().api.get<{ items: ReadonlyArray<ChangeSet> }>(`/v1/changes/${change.id}/changesets`)).items
    const canonical = async () =>
      (await installed().api.get<{ canonical: Canonical }>(`/v1/projects/${projectId}`)).canonical
    const promoted = async (change: ChangeJson) => {
      const { api } = installed()
      return Flow.promote(api, (await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)).id)
    }
    const versions = ["0", "1", "2"] as const

    beforeAll(async () => {
      projectId = (await Flow.createProject(installed().api, "git-people")).id
      await Flow.liveApp(installed().api, projectId, 0)
    })
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    it("clones canonical whole, takes a push as a ChangeSet, and shows what was promoted to the next fetch", async () => {
      const mine = await clone()
      expect(await client.git(mine, "rev-parse", "HEAD")).toBe((await canonical()).commit)
      const change = await newChange()
      const files = { "public/hello.txt": "from git\n", "deep/new.bin": Buffer.from([0, 255, 1]) }
      await client.commit(mine, files, "Say hello")
      const pushed = await push(mine, change)
      const [changeSet] = await changeSets(change)
      expect([pushed.code, pushed.output]).toEqual([
        0,
        expect.stringContaining(`remote: Recorded as ChangeSet ${changeSet?.id}, on generation S0.`)
      ])
      expect(changeSet).toMatchObject({
        author: { type: "user" },
        message: "Say hello",
        tree: await client.git(mine, "rev-parse", "HEAD^{tree}"),
        files: [
          { path: "deep/new.bin", status: "added" },
          { path: "public/hello.txt", status: "modified" }
        ]
      })
      expect((await push(mine, change)).output).toContain("already. Nothing was recorded anew.")
      const { commit, tree } = await promoted(change)
      await client.git(mine, "fetch", "-q", "origin", "main")
      expect(await client.git(mine, "rev-parse", "FETCH_HEAD")).toBe(commit)
      expect(await client.git(mine, "rev-parse", "FETCH_HEAD^{tree}")).toBe(tree)
      await client.git(mine, "fsck", "--strict")
      expect(await changeSets(change)).toHaveLength(1)
    })

    it.each(versions)("clones and fetches by version %s of the protocol, to the same objects", async (version) => {
      const args = ["-c", `protocol.version=${version}`]
      const name = `version-${version}`
      expect((await client.run(".", [...args, "clone", "-q", url(), name])).output).toBe("")
      const change = await newChange()
      await Flow.edit(installed().api, change, { [`version/${version}.txt`]: `${version}\n` })
      const { commit, tree } = await promoted(change)
      // What the client has and nobody here knows is told as well.
      await client.commit(name, { "mine.txt": "mine\n" })
      expect((await client.run(name, [...args, "fetch", "-q", "origin", "main"])).output).toBe("")
      expect(await client.git(name, "rev-parse", "FETCH_HEAD", "FETCH_HEAD^{tree}")).toBe(`${commit}\n${tree}`)
      await client.git(name, "fsck", "--strict")
    })

    it("makes clones of one commit, which are deepened and pushed from, and clones without files", async () => {
      for (const version of ["0", "2"]) {
        const name = await clone("-c", `protocol.version=${version}`, "--depth", "1")
        expect(await client.git(name, "rev-list", "--count", "HEAD")).toBe("1")
        await client.git(name, "fetch", "-q", "--deepen", "1").catch(() => undefined)
        await client.git(name, "fetch", "-q", "--unshallow")
        expect(await client.git(name, "rev-parse", "HEAD")).toBe((await canonical()).commit)
        await client.git(name, "fsck", "--strict")
      }
      const bare = await clone("--filter=blob:none")
      expect(await client.git(bare, "log", "-p", "--format=%H")).toContain("from git")
      const change = await newChange()
      const one = await clone("--depth", "1")
      await client.commit(one, { "shallow.txt": "shallow\n" })
      expect((await push(one, change)).output).toContain("Recorded as ChangeSet")
      expect((await changeSets(change)).map(({ baseCommit }) => baseCommit)).toEqual([(await canonical()).commit])
    })

    it("puts a push on the ChangeSet that it goes on from, and says what to do with one that does not", async () => {
      const [mine, other, change] = [await clone(), await clone(), await newChange()]
      await client.commit(mine, { "one.txt": "1\n" })
      await push(mine, change)
      await client.commit(mine, { "one.txt": null, "two.txt": "2\n" })
      expect((await push(mine, change)).code).toBe(0)
      await client.commit(other, { "three.txt": "3\n" })
      const refused = await push(other, change)
      expect([refused.code, refused.output]).toEqual([
        1,
        expect.stringContaining("(not made on your newest ChangeSet)")
      ])
      await client.git(other, "fetch", "-q", "origin", refOf(change))
      const [first, second] = await changeSets(change)
      expect(await client.git(other, "rev-parse", "FETCH_HEAD")).toBe(second?.commit)
      expect(second?.baseCommit).toBe(first?.commit)
      await client.git(other, "rebase", "-q", "FETCH_HEAD")
      expect((await push(other, change)).code).toBe(0)
      expect((await changeSets(change))[2]?.files.map(({ path }) => path)).toEqual(["three.txt"])
    })

    it("shows verified Candidates and signed statements, and one's own ChangeSets to nobody else", async () => {
      const { api } = installed()
      const change = await newChange()
      const { commit } = await Flow.edit(api, change, { "draft.txt": "a draft\n" })
      const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
      const shown = async (token?: string) => (await client.git(".", "ls-remote", url(token))).split("\n")
      const mine = await Flow.until(
        () => shown(),
        (lines) => lines.some((each) => each.endsWith("refs/pawl/statements"))
      )
      expect(mine).toContain(`${candidate.commit}\trefs/pawl/candidates/${candidate.id}`)
      expect(mine).toContain(`${commit}\t${refOf(change)}`)
      const name = await clone()
      await client.git(name, "fetch", "-q", "origin", "refs/pawl/statements", `refs/pawl/candidates/${candidate.id}`)
      const statements = mine.find((each) => each.endsWith("refs/pawl/statements"))?.slice(0, 40) ?? ""
      expect(await client.git(name, "ls-tree", "-r", "--name-only", statements)).toContain("keys.intoto.jsonl")

      const { token, user } = await api.post<Made>("/v1/users", { name: "Viewer" })
      await api.put(`/v1/projects/${projectId}/members`, { members: [{ userId: user.id, role: "viewer" }] })
      expect((await shown(token)).filter((each) => each.includes("refs/changes/"))).toEqual([])
      expect((await client.clone(url(token), "theirs")).code).toBe(0)
      const hidden = (await Flow.edit(api, await newChange(), { "draft.txt": "hidden\n" })).commit
      for (const version of versions) {
        const args = ["-c", `protocol.version=${version}`, "fetch", "origin", hidden]
        expect((await client.run("theirs", args)).code).not.toBe(0)
        expect((await client.run("theirs", ["cat-file", "-e", hidden])).code).not.toBe(0)
      }
      // A viewer reads, and no more.
      const refused = await client.run("theirs", ["push", "origin", `HEAD:${refOf(change)}`])
      expect([refused.code, refused.output]).toEqual([expect.any(Number), expect.stringContaining("403")])
      expect(refused.code).not.toBe(0)
    })

    describe("answers nobody who may not:", () => {
      const paths = [
        ["GET", "info/refs?service=git-upload-pack"],
        ["POST", "git-upload-pack"],
        ["GET", "info/refs?service=git-receive-pack"],
        ["POST", "git-receive-pack"]
      ] as const
      const ask = (method: string, project: string, path: string, authorization?: string) =>
        fetch(`${origin()}/git/${project}.git/${path}`, {
          method,
          headers: {
            ...(authorization === undefined ? {} : { authorization }),
            ...(method === "POST" ? { "content-type": `application/x-${path}-request` } : {})
          },
          ...(method === "POST" ? { body: "0000" } : {})
        })

      it.each(paths)("%s %s", async (method, path) => {
        const basic = (text: string) => `Basic ${Buffer.from(`git:${text}`).toString("base64")}`
        for (const each of [undefined, "Basic !!", "Digest x", basic("pawl_wrong"), basic(`${installed().owner}x`)]) {
          const nobody = await ask(method, projectId, path, each)
          expect([nobody.status, nobody.headers.get("www-authenticate")]).toEqual([
            401,
            'Basic realm="pawl", charset="UTF-8"'
          ])
          await nobody.text()
        }
        const { token } = await installed().api.post<Made>("/v1/users", { name: "Stranger" })
        // Somebody who is no member of anything is told of this Project what they are told of one that there is not.
        const missing = `proj_${"0".repeat(8)}-0000-4000-8000-${"0".repeat(12)}`
        const [here, nowhere] = await Promise.all(
          [projectId, missing].map(async (id) => {
            const answer = await ask(method, id, path, basic(token))
            return [answer.status, (await answer.text()).replaceAll(id, "it")] as const
          })
        )
        expect(here?.[0]).toBe(404)
        expect(here).toEqual(nowhere)
      })

      it("what is no path of git's, and no request", async () => {
        const authorization = `Bearer ${installed().owner}`
        const get = (path: string, init: object = {}) =>
          fetch(`${origin()}/git/${path}`, { headers: { authorization }, ...init })
        for (const [path, status, words] of [
          [`${projectId}.git/info/refs`, 400, "git 1.6.6 or newer"],
          [`${projectId}.git/HEAD`, 404, "and nowhere else"],
          ["nothing", 404, "and nowhere else"],
          [`${projectId}.git/git-upload-pack`, 405, "Only POST"]
        ] as const) {
          const answer = await get(path)
          expect([path, answer.status, await answer.text()]).toEqual([path, status, expect.stringContaining(words)])
        }
        const post = async (body: Uint8Array | string, headers: Readonly<Record<string, string>>) => {
          const answer = await get(`${projectId}.git/git-upload-pack`, {
            method: "POST",
            body,
            headers: { authorization, "content-type": "application/x-git-upload-pack-request", ...headers }
          })
          return [answer.status, await answer.text()] as const
        }
        expect(await post("0000", { "content-type": "text/plain" })).toEqual([415, "This is not what git sends.\n"])
        expect(await post("0000", { "content-encoding": "br" })).toEqual([415, expect.stringContaining("gzip")])
        expect(await post("nothing", { "content-encoding": "gzip" })).toEqual([400, expect.anything()])
        expect(await post("zzzz", {})).toEqual([200, expect.stringContaining("ERR This is not what git sends")])
        const large = new Uint8Array(ServerLimits.gitFetchBytes + 1)
        expect((await post(large, {}))[0]).toBe(413)
        expect((await post(gzipSync(large), { "content-encoding": "gzip" }))[0]).toBe(413)
      })
    })

    describe("refuses, in words, and records nothing:", () => {
      let [mine, change] = ["", undefined as unknown as ChangeJson]
      beforeAll(async () => {
        ;[mine, change] = [await clone(), await newChange()]
        await client.commit(mine, { "x.txt": "x\n" })
      })
      const back = () => client.git(mine, "checkout", "-q", "-f", "-B", "work", "origin/main")

      it.each([
        ["main", () => ["HEAD:main"], "canonical moves by promotion only"],
        ["main by force", () => ["+HEAD:main"], "canonical moves by promotion only"],
        ["a tag", () => ["HEAD:refs/tags/v1"], "not the ref of a Change"],
        ["a deletion of a Change's ref", () => [`:${refOf(change)}`], "a ChangeSet stays"],
        ["two refs", () => [`HEAD:${refOf(change)}`, "HEAD:refs/tags/v1"], "one ref in a push"],
        ["an unknown Change", () => ["HEAD:refs/changes/chg_00000000-0000-4000-8000-000000000000"], "unknown_change"],
        ["what is live already", () => [`HEAD~1:${refOf(change)}`], "nothing changed"]
      ] as const)("%s", async (_title, args, words) => {
        const { code, output } = await client.run(mine, ["push", "origin", ...args()])
        expect([code, output]).toEqual([1, expect.stringContaining(`(${words})`)])
        expect(await changeSets(change)).toEqual([])
      })

      it("a symbolic link, a submodule and a file that is executable, each by its path", async () => {
        const [blob, head] = [
          await client.git(mine, "rev-parse", "HEAD:x.txt"),
          await client.git(mine, "rev-parse", "HEAD")
        ]
        for (const [mode, id, words] of [
          ["120000", blob, "its mode is 120000"],
          ["160000", head, "its mode is 160000"],
          ["100755", blob, "git update-index --chmod=-x"]
        ] as const) {
          await client.git(mine, "checkout", "-q", "-B", "odd", "origin/main")
          await client.git(mine, "update-index", "--add", "--cacheinfo", `${mode},${id},odd`)
          await client.git(mine, "commit", "-q", "-m", "odd")
          const { code, output } = await push(mine, change)
          expect([code, output]).toEqual([1, expect.stringContaining("(invalid_path)")])
          expect(output).toContain(`The path "odd" cannot be used: `)
          expect(output).toContain(words)
        }
        expect(await changeSets(change)).toEqual([])
        await back()
      })

      it("work that does not start from this Project's source", async () => {
        await client.git(".", "init", "-q", "-b", "main", "stranger")
        await client.git("stranger", "remote", "add", "origin", url())
        await client.commit("stranger", { "x.txt": "x\n" })
        expect((await push("stranger", change)).output).toContain("(not made on this Project's source)")
      })

      it("more than a push may have, as it is sent and as it unpacks", async () => {
        const noise = createCipheriv("aes-128-ctr", Buffer.alloc(16), Buffer.alloc(16))
        const half = () => noise.update(Buffer.alloc(ServerLimits.gitObjectPushBytes / 2 + 1))
        await client.commit(mine, { "one.bin": half(), "two.bin": half() })
        expect((await push(mine, change)).output).toContain(`more than ${ServerLimits.gitObjectPushBytes} bytes`)
        await back()
        await client.commit(mine, { "zeroes.bin": Buffer.alloc(Limits.sourceFileBytes + 1) })
        expect((await push(mine, change)).output).toContain(`where ${Limits.sourceFileBytes} is the most`)
        await back()
        const count = Math.floor(CloudflareLimits.gitPushUnpackedBytes / Limits.sourceFileBytes) + 1
        const zeroes = Array.from({ length: count }, (_, at) => {
          const bytes = Buffer.alloc(Limits.sourceFileBytes)
          bytes[0] = at
          return [`zeroes/${at}.bin`, bytes] as const
        })
        await client.commit(mine, Object.fromEntries(zeroes))
        expect((await push(mine, change)).output).toContain(
          `where ${CloudflareLimits.gitPushUnpackedBytes} is the most`
        )
        expect(await changeSets(change)).toEqual([])
      })
    })

    it("serves many files in many lines, whose reader may leave in the middle", async () => {
      const { api, owner } = installed()
      const noise = createCipheriv("aes-128-ctr", Buffer.alloc(16), Buffer.alloc(16))
      const files = Object.fromEntries(
        Array.from({ length: 5 }, (_, at) => [
          `big/${at}.bin`,
          { base64: noise.update(Buffer.alloc(2 ** 20)).toString("base64") }
        ])
      )
      const { project } = await api.post<{ project: { id: string } }>("/v1/projects", { slug: "git-large", files })
      const { commit } = (await api.get<{ canonical: Canonical }>(`/v1/projects/${project.id}`)).canonical
      for (let each = 0; each < 2 * ServerLimits.gitObjectRequestsAtOnce; each++) {
        const asked = await fetch(`${origin()}/git/${project.id}.git/git-upload-pack`, {
          method: "POST",
          headers: { authorization: `Bearer ${owner}`, "content-type": "application/x-git-upload-pack-request" },
          body: `0032want ${commit}\n00000009done\n`
        })
        const reader = asked.body!.getReader()
        await reader.read()
        await reader.cancel()
      }
      // Each has given its turn back.
      expect((await client.clone(gitUrl(origin(), project.id, owner), "large")).code).toBe(0)
      expect(readFileSync(join(client.path("large"), "big/4.bin")).length).toBe(2 ** 20)
      await client.git("large", "fsck", "--strict")
    })
  })
}
