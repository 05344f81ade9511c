import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { createCipheriv } from "node:crypto"
import { readdirSync, readFileSync, readlinkSync, watch, writeFileSync } from "node:fs"
import { type IncomingMessage, request } from "node:http"
import { join } from "node:path"
import type { ChangeSet } from "@pawl/core/model/ChangeSet"
import { Limits } from "@pawl/core/primitives/Limits"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { gitClient, gitUrl } from "../kit/GitClient.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import type { ChangeJson } from "@pawl/server/api/RecordSchemas"

const refOf = (change: ChangeJson) => `refs/changes/${change.id}`

/** Names below a folder that are there only while something is under way. */
const litter = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /(^|\/)(\.making-|\.removing-|\.serving\/|tmp_)|\.lock$/.test(name)
  )

/** The programs that have this text in their command line or their working directory. */
const running = (text: string): ReadonlyArray<string> =>
  readdirSync("/proc").flatMap((id) => {
    try {
      if (!/^\d+$/.test(id) || !readlinkSync(`/proc/${id}/cwd`).includes(text)) return []
      return [readFileSync(`/proc/${id}/comm`, "utf8").trim()]
    } catch {
      // It has just ended, or is not ours.
      return []
    }
  })

describe("git for people", () => {
  const folder = temporaryFolder()
  const data = join(folder.path, "data")
  const client = gitClient(join(folder.path, "people"))
  let server: ServerProcess
  let projectId: string
  let names = 0

  const url = () => gitUrl(server.origin, projectId, token)
  const newChange = () => Flow.openChange(server.api, projectId, `change-${names++}`)
  const clone = async (...args: ReadonlyArray<string>): Promise<string> => {
    const name = `clone-${names++}`
    const { code, output } = await client.clone(url(), name, ...args)
    expect([code, output]).toEqual([0, expect.anything()])
    return name
  }
  const push = (name: string, change: ChangeJson, from = "HEAD") =>
    client.run(name, ["push", "origin", `${from}:${refOf(change)}`])
  const changeSets = async (change: ChangeJson): Promise<ReadonlyArray<ChangeSet>> =>
    (await server.api.get<{ items: ReadonlyArray<ChangeSet> }>(`/v1/changes/${change.id}/changesets`)).items
  const main = async () => (await client.git(".", "ls-remote", url(), "refs/heads/main")).slice(0, 40)
  const canonical = async () =>
    (await server.api.get<{ canonical: { generation: number; commit: string } }>(`/v1/projects/${projectId}`)).canonical

  beforeAll(async () => {
    server = await startServer({ data })
    projectId = (await Flow.createProject(server.api, "people")).id
    await Flow.liveApp(server.api, projectId, 0)
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  it("clones canonical, takes a push as a ChangeSet, and shows what was promoted to the next pull", async () => {
    const mine = await clone()
    expect(await client.git(mine, "rev-parse", "HEAD")).toBe((await canonical()).commit)
    const change = await newChange()
    await client.commit(
      mine,
      { "public/hello.txt": "from git\n", "public/new.bin": Buffer.from([0, 255, 1]) },
      "Say hello"
    )
    const pushed = await push(mine, change)
    const [changeSet] = await changeSets(change)
    expect(pushed.output).toContain(`remote: Recorded as ChangeSet ${changeSet?.id}, on generation S0.`)
    expect(pushed.output).toContain(`POST /v1/changes/${change.id}/candidates`)
    expect(pushed.code).toBe(0)
    expect(changeSet).toMatchObject({
      author: { type: "user" },
      message: "Say hello",
      baseGeneration: 0,
      tree: await client.git(mine, "rev-parse", "HEAD^{tree}"),
      files: [
        { path: "public/hello.txt", status: "modified" },
        { path: "public/new.bin", status: "added" }
      ]
    })
    expect(await main()).toBe((await canonical()).commit)

    const candidate = await Flow.gated(server.api, (await Flow.requestCandidate(server.api, change)).id)
    expect(candidate.status).toBe("verified")
    const promoted = await Flow.promote(server.api, candidate.id)
    expect(promoted).toMatchObject({ outcome: "promoted", generation: 1 })

    const other = await clone("--depth", "1")
    expect(readFileSync(join(client.path(other), "public/hello.txt"), "utf8")).toBe("from git\n")
    await client.git(mine, "pull", "-q", "--no-rebase", "origin", "main")
    expect(await client.git(mine, "rev-parse", "origin/main")).toBe(promoted.commit)
    expect(await client.git(mine, "rev-parse", "HEAD^{tree}")).toBe(promoted.tree)
    await client.git(mine, "fsck", "--strict")

    // A clone of one commit can be pushed from as well.
    const next = await newChange()
    await client.commit(other, { "public/hello.txt": "shallow\n" })
    expect((await push(other, next)).output).toContain("on generation S1.")
    expect((await changeSets(next)).map((each) => each.baseCommit)).toEqual([promoted.commit])
  })

  it("is idempotent: a push again, also from another clone, records nothing anew", async () => {
    const [mine, change] = [await clone(), await newChange()]
    await client.commit(mine, { "a.txt": "a\n" })
    await push(mine, change)
    const again = await push(mine, change)
    expect([again.code, again.output]).toEqual([0, expect.stringContaining("already. Nothing was recorded anew.")])
    const other = await clone()
    await client.commit(other, { "a.txt": "a\n" }, "The same files, other words")
    expect((await push(other, change)).output).toContain("already. Nothing was recorded anew.")
    expect(await changeSets(change)).toHaveLength(1)
  })

  it("puts a push on the ChangeSet that it goes on from, and says what to do with one that does not", async () => {
    const [mine, change] = [await clone(), await newChange()]
    await client.commit(mine, { "one.txt": "1\n" })
    await push(mine, change)
    await client.commit(mine, { "two.txt": "2\n" })
    await client.commit(mine, { "one.txt": null, "three.txt": "3\n" })
    expect((await push(mine, change)).code).toBe(0)
    const [first, second] = await changeSets(change)
    expect(second?.baseCommit).toBe(first?.commit)
    expect(second?.files.map((each) => [each.path, each.status])).toEqual([
      ["one.txt", "deleted"],
      ["three.txt", "added"],
      ["two.txt", "added"]
    ])

    const other = await clone()
    await client.commit(other, { "four.txt": "4\n" })
    const refused = await push(other, change)
    expect(refused.code).toBe(1)
    expect(refused.output).toContain("(not made on your newest ChangeSet)")
    expect(refused.output).toContain(`git fetch origin ${refOf(change)} && git rebase FETCH_HEAD`)
    // What it says to do works.
    await client.git(other, "fetch", "-q", "origin", refOf(change))
    expect(await client.git(other, "rev-parse", "FETCH_HEAD")).toBe(second?.commit)
    await client.git(other, "rebase", "-q", "FETCH_HEAD")
    expect((await push(other, change)).code).toBe(0)
    const [, , third] = await changeSets(change)
    expect([third?.baseCommit, third?.files.map((each) => each.path)]).toEqual([second?.commit, ["four.txt"]])
  })

  it("takes work that was rebased onto a newer generation, with all of it in one ChangeSet", async () => {
    const [mine, change, faster] = [await clone(), await newChange(), await newChange()]
    await client.commit(mine, { "slow.txt": "slow\n" })
    await push(mine, change)
    await Flow.edit(server.api, faster, { "fast.txt": "fast\n" })
    const candidate = await Flow.gated(server.api, (await Flow.requestCandidate(server.api, faster)).id)
    const { commit, generation } = await Flow.promote(server.api, candidate.id)
    await client.git(mine, "pull", "-q", "--rebase", "origin", "main")
    await client.commit(mine, { "more.txt": "more\n" })
    const pushed = await push(mine, change)
    const [, second] = await changeSets(change)
    expect(pushed.output).toContain(`{"changeSetIds":["${second?.id}"]}`)
    expect(second).toMatchObject({ baseGeneration: generation, baseCommit: commit })
    expect(second?.files.map((each) => each.path)).toEqual(["more.txt", "slow.txt"])
  })

  it("records each of many pushes at once, or says what to do, and one ChangeSet for one tree", async () => {
    const [mine, other, change] = [await clone(), await clone(), await newChange()]
    await client.commit(mine, { "mine.txt": "m\n" })
    await client.commit(other, { "other.txt": "o\n" })
    const runs = await Promise.all([push(mine, change), push(other, change), push(mine, change), push(other, change)])
    const recorded = await changeSets(change)
    expect(recorded).toHaveLength(1)
    for (const { code, output } of runs)
      expect(output).toContain(code === 0 ? recorded[0]?.id : "(not made on your newest ChangeSet)")
    expect(runs.filter(({ code }) => code === 0)).toHaveLength(2)
  })

  describe("refuses, in words, and records nothing:", () => {
    let [mine, change, closed] = ["", undefined as unknown as ChangeJson, undefined as unknown as ChangeJson]
    beforeAll(async () => {
      ;[mine, change, closed] = [await clone(), await newChange(), await newChange()]
      await client.commit(mine, { "x.txt": "x\n" })
      await server.api.post(`/v1/changes/${closed.id}/cancel`)
    })
    const unknown = "chg_00000000-0000-4000-8000-000000000000"
    const cases: ReadonlyArray<
      readonly [title: string, args: () => ReadonlyArray<string>, ref: string, words: string]
    > = [
      ["main", () => ["HEAD:main"], "canonical moves by promotion only", "No push moves it"],
      ["main by force", () => ["+HEAD:main"], "canonical moves by promotion only", "No push moves it"],
      ["a deletion of main", () => [":main"], "canonical moves by promotion only", "No push moves it"],
      ["another branch", () => ["HEAD:refs/heads/feature"], "not the ref of a Change", "refs/changes/<change id>"],
      ["a tag", () => ["HEAD:refs/tags/v1"], "not the ref of a Change", "refs/changes/<change id>"],
      ["a note", () => ["HEAD:refs/notes/commits"], "not the ref of a Change", "refs/changes/<change id>"],
      ["a replacement", () => ["HEAD:refs/replace/x"], "not the ref of a Change", "refs/changes/<change id>"],
      ["a deletion of a Change's ref", () => [`:${refOf(change)}`], "a ChangeSet stays", "Cancel the Change"],
      ["two refs", () => [`HEAD:${refOf(change)}`, "HEAD:refs/tags/v1"], "one ref in a push", "None was taken"],
      ["an unknown Change", () => [`HEAD:refs/changes/${unknown}`], "unknown_change", `There is no change ${unknown}`],
      ["a closed Change", () => [`HEAD:${refOf(closed)}`], "change_closed", "opens another Change"],
      ["what is live already", () => [`HEAD~1:${refOf(change)}`], "nothing changed", "nothing to record"]
    ]
    it.each(cases)("%s", async (_title, args, ref, words) => {
      const before = await main()
      const { code, output } = await client.run(mine, ["push", "origin", ...args()])
      expect([code, output]).toEqual([1, expect.stringContaining(`(${ref})`)])
      expect(output.replace(/\s+/g, " ")).toContain(words)
      expect(await main()).toBe(before)
      expect((await canonical()).commit).toBe(before)
      expect(await changeSets(change)).toEqual([])
      expect(await changeSets(closed)).toEqual([])
    })

    it("work that does not start from this Project's source", async () => {
      await client.git(".", "init", "-q", "-b", "main", "stranger")
      await client.git("stranger", "remote", "add", "origin", url())
      await client.commit("stranger", { "x.txt": "x\n" })
      const { code, output } = await push("stranger", change)
      expect([code, output]).toEqual([1, expect.stringContaining("(not made on this Project's source)")])
      expect(output).toContain("git fetch origin && git rebase origin/main")
    })

    it("a symbolic link, a submodule and a file that is executable, each by its path", async () => {
      const blob = await client.git(mine, "rev-parse", "HEAD:x.txt")
      const head = await client.git(mine, "rev-parse", "HEAD")
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
      await client.git(mine, "checkout", "-q", "-f", "-B", "work", "origin/main")
    })

    it("more than a push may have, also when it is told only at its end", async () => {
      // Bytes that do not compress, in files that each are small enough.
      const noise = createCipheriv("aes-128-ctr", Buffer.alloc(16), Buffer.alloc(16))
      const half = () => noise.update(Buffer.alloc(LocalLimits.gitPushBytes / 2 + 1))
      await client.commit(mine, { "one.bin": half(), "two.bin": half() })
      const { code, output } = await push(mine, change)
      expect([code, output]).toEqual([1, expect.stringContaining("(too large)")])
      expect(output).toContain(`more than ${LocalLimits.gitPushBytes} bytes`)
      await client.git(mine, "checkout", "-q", "-f", "-B", "work", "origin/main")
    })

    it("a file of zeroes that is small on the way and large when it is there", async () => {
      await client.commit(mine, { "zeroes.bin": Buffer.alloc(Limits.sourceFileBytes + 1) })
      const { code, output } = await push(mine, change)
      expect([code, output]).toEqual([1, expect.stringContaining("(the pack was not taken)")])
      expect(output).toContain(`where ${Limits.sourceFileBytes} is the most`)
      await client.git(mine, "checkout", "-q", "-f", "-B", "work", "origin/main")
    })

    it("more files than an edit over the API may have", async () => {
      const blob = await client.git(mine, "rev-parse", "HEAD:verdict.txt")
      const lines = Array.from({ length: Limits.changeSetFiles + 1 }, (_, at) => `100644 blob ${blob}\t${at}\n`)
      const tree = await client.run(mine, ["mktree"], lines.join(""))
      await client.git(mine, "read-tree", "--prefix=many/", tree.stdout)
      await client.git(mine, "commit", "-q", "-m", "many")
      const { code, output } = await push(mine, change)
      expect([code, output]).toEqual([1, expect.stringContaining("(invalid_field)")])
      expect(output).toContain(`at most ${Limits.changeSetFiles} files`)
      expect(await changeSets(change)).toEqual([])
      await client.git(mine, "checkout", "-q", "-f", "-B", "work", "origin/main")
    })
  })

  it("leaves nothing behind, whatever was pushed", () => {
    expect(litter(join(data, "repositories"))).toEqual([])
  })

  it("gives nobody an object that is not canonical's or their own, by whatever id", async () => {
    const [mine, change, { user, token: others }] = [
      await clone(),
      await newChange(),
      await server.api.post<{ user: { id: string }; token: string }>("/v1/users", { name: "Other" })
    ]
    await server.api.put(`/v1/projects/${projectId}/members`, { members: [{ userId: user.id, role: "viewer" }] })
    await client.commit(mine, { "draft.txt": "a draft\n" })
    await push(mine, change)
    const [changeSet] = await changeSets(change)
    const theirs = gitUrl(server.origin, projectId, others)
    await client.git(".", "clone", "-q", theirs, "theirs")
    for (const version of ["0", "2"]) {
      const fetched = await client.run("theirs", [
        "-c",
        `protocol.version=${version}`,
        "fetch",
        "origin",
        changeSet?.commit ?? ""
      ])
      expect(fetched.code).not.toBe(0)
      expect((await client.run("theirs", ["cat-file", "-e", changeSet?.commit ?? ""])).code).not.toBe(0)
    }
    const shown = (await client.git(".", "ls-remote", theirs)).split("\n")
    // Statements are published when they are signed.
    const beside = shown.filter((line) => !line.endsWith("\trefs/pawl/statements"))
    expect(beside).toEqual([`${await main()}\tHEAD`, `${await main()}\trefs/heads/main`])
  })

  it("shows the head of the ledger when the repository lags behind or has run ahead", async () => {
    const { commit } = await canonical()
    const ref = join(data, "repositories", projectId.slice(5, 7), projectId, "canon.git/refs/heads/main")
    const stray = readFileSync(ref, "utf8")
    writeFileSync(ref, `${await client.git(await clone(), "rev-parse", "HEAD~1")}\n`)
    expect(await main()).toBe(commit)
    writeFileSync(ref, stray)
  })

  it("ends git, and clears away, when whoever is being served leaves", async () => {
    const noise = createCipheriv("aes-128-ctr", Buffer.alloc(16), Buffer.alloc(16)).update(
      Buffer.alloc(6 * 1024 * 1024)
    )
    const files = { "big.bin": { base64: noise.toString("base64") } }
    const { project } = await server.api.post<{ project: { id: string } }>("/v1/projects", { slug: "large", files })
    const { canonical: head } = await server.api.get<{ canonical: { commit: string } }>(`/v1/projects/${project.id}`)
    const serving = join(data, "repositories/.serving")
    const asked = request(`${server.origin}/git/${project.id}.git/git-upload-pack`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/x-git-upload-pack-request" }
    })
    asked.end(`0032want ${head.commit}\n00000009done\n`)
    const answer = await new Promise<IncomingMessage>((resolve, reject) =>
      asked.once("response", resolve).once("error", reject)
    )
    answer.pause().on("error", () => undefined)
    const [view = ""] = readdirSync(serving)
    // `upload-pack` and its `pack-objects`, which wait for their reader.
    await Flow.until(
      async () => running(view),
      (programs) => programs.length === 2
    )
    answer.destroy()
    await Flow.until(
      async () => [...readdirSync(serving), ...running(view)],
      (left) => left.length === 0
    )
  })

  it("loses nothing that it told of and keeps no half push when it is killed in the middle", async () => {
    const [mine, change] = [await clone(), await newChange()]
    await client.commit(mine, Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`kill/${at}`, `${at}\n`])))
    const repositories = join(data, "repositories")
    const begun = new Promise<void>((resolve) => {
      const watcher = watch(join(repositories, projectId.slice(5, 7), projectId), (_event, name) => {
        if (name?.startsWith(".making-push-") !== true) return
        watcher.close()
        resolve()
      })
    })
    const pushing = push(mine, change)
    await begun
    await server.stop("SIGKILL")
    expect((await pushing).code).not.toBe(0)
    server = await startServer({ data })
    await client.git(mine, "remote", "set-url", "origin", url())
    expect((await push(mine, change)).code).toBe(0)
    expect(await changeSets(change)).toHaveLength(1)
    expect(litter(repositories)).toEqual([])
    expect(await main()).toBe((await canonical()).commit)
  })
})
