import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { executions, foreign, straceMissing, watched } from "../kit/Executions.ts"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { nameOf, processesBelow } from "../../../../adapters-local/test/Processes.ts"
import * as Flow from "../kit/Flow.ts"
import { gitClient, gitUrl } from "../kit/GitClient.ts"
import { configs, environment, hooks, keptPaths, orders, refusedPaths, treeFiles } from "./HostileLists.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

const zero = "0".repeat(40)
const pkt = (text: string) => (Buffer.byteLength(text) + 4).toString(16).padStart(4, "0") + text

/** Every door through which content comes to git, and everything that is tried there. Watched by the kernel. */
describe.skipIf(straceMissing !== null)(`Git never runs their code (${straceMissing ?? "watched with strace"})`, () => {
  const folder = temporaryFolder()
  const ran = join(folder.path, "ran")
  const payload = `touch ${ran}`
  const trace = join(folder.path, "trace")
  const client = gitClient(join(folder.path, "people"))
  let server: ServerProcess
  let projectId: string
  let [changes, tried] = [0, 0]

  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    tried++
    const response = await fetch(`${server.origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
    })
    return { status: response.status, text: await response.text() }
  }
  const newChange = () => Flow.openChange(server.api, projectId, `hostile-${changes++}`)

  beforeAll(async () => {
    server = await startServer({
      data: join(folder.path, "data"),
      environment: { PAWL_PAUSED: "true", ...environment(payload, folder.path), HOME: folder.path },
      wrap: watched(trace)
    })
    // What is looked at begins with the Project: by then the runtime has started what it keeps ready.
    await Flow.until(
      () => Promise.resolve(processesBelow(server.child.pid ?? 0).filter((pid) => nameOf(pid) === "workerd").length),
      (ready) => ready >= LocalLimits.appWarmHosts
    )
    projectId = (await Flow.createProject(server.api, "hostile", { "a.txt": "1\n", ...treeFiles(payload) })).id
    await client.clone(gitUrl(server.origin, projectId, token), "work", "--no-checkout")
    // Without the Project's own `.gitmodules`, at which a client's git stops.
    await client.git(".", "init", "-q", "--bare", "reader")
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  it("sees a program that git runs where nothing guards it", async () => {
    const [home, file] = [join(folder.path, "unguarded"), join(folder.path, "unguarded.trace")]
    execFileSync("git", ["init", "-q", "--bare", home])
    mkdirSync(join(home, "hooks"), { recursive: true })
    writeFileSync(join(home, "hooks/reference-transaction"), "#!/bin/sh\nexit 0\n", { mode: 0o755 })
    const tree = execFileSync("git", ["--git-dir", home, "mktree"], { input: "", encoding: "utf8" }).trim()
    const identity = ["-c", "user.name=x", "-c", "user.email=x@x"]
    const commit = execFileSync("git", ["--git-dir", home, ...identity, "commit-tree", "-m", "x", tree], {
      encoding: "utf8"
    }).trim()
    const [strace = "", ...args] = watched(file).filter((each) => each !== "-D")
    spawnSync(strace, [...args, "git", "--git-dir", home, "update-ref", "refs/heads/main", commit])
    expect(foreign(executions(file, "update-ref"))).toContainEqual(
      expect.stringMatching(/hooks\/reference-transaction$/)
    )
  })

  it("takes no file of git's own over the API, and keeps names that look like orders as names", async () => {
    const change = await newChange()
    const send = (files: object) => ask("POST", `/v1/changes/${change.id}/changesets`, { message: payload, files })
    for (const path of refusedPaths)
      expect([path, (await send({ [path]: `#!/bin/sh\n${payload}\n` })).status]).toEqual([path, 400])
    const names = keptPaths(payload)
    tried += names.length
    expect((await send(Object.fromEntries(names.map((name) => [name, "x"])))).status).toBe(201)
    const files = Object.fromEntries(
      Object.entries(treeFiles(payload)).map(([path, text]) => [path, `${text}# more\n`])
    )
    expect((await send(files)).status).toBe(201)
    const { items } = await server.api.get<{ items: ReadonlyArray<{ id: string }> }>(
      `/v1/changes/${change.id}/changesets`
    )
    expect(items).toHaveLength(2)
    for (const { id } of items)
      for (const accept of ["application/json", "text/plain"])
        expect((await ask("GET", `/v1/changesets/${id}/diff`, undefined, { accept })).status).toBe(200)
  })

  it("takes no order where an id or a path is expected", async () => {
    for (const order of orders(payload)) {
      const text = encodeURIComponent(order)
      for (const path of [
        `/v1/projects/${projectId}/code?tree=${text}`,
        `/v1/projects/${projectId}/code?path=${text}`,
        `/v1/changesets/${text}/diff`,
        `/git/${text}.git/info/refs?service=git-upload-pack`,
        `/git/${projectId}.git/info/refs?service=${text}`
      ]) {
        const { status } = await ask("GET", path)
        expect([path, status]).toEqual([path, expect.toSatisfy((code: number) => code >= 400 && code < 500)])
      }
    }
  })

  it("takes no order in git's own protocol", async () => {
    const at = (service: string) => `/git/${projectId}.git/${service}`
    const speak = (service: string, body: string, protocol = "version=2") =>
      ask("POST", at(service), body, { "content-type": `application/x-${service}-request`, "git-protocol": protocol })
    for (const protocol of [`version=2:--exec=${payload}`, `$(${payload})`, "version=9"])
      expect(
        (await ask("GET", `${at("info/refs")}?service=git-upload-pack`, undefined, { "git-protocol": protocol })).status
      ).toBe(200)
    for (const lines of [
      [`command=ls-refs`, `agent=$(${payload})`, `server-option=--exec=${payload}`],
      [`command=${payload}`],
      ["command=object-info", "0001", `oid $(${payload})`],
      ["command=fetch", "0001", `want --upload-pack=${payload}`],
      ["command=fetch", "0001", `want ${zero}`, "filter sparse:path=/etc/passwd", "done"],
      ["command=fetch", "0001", `want ${zero}`, `filter sparse:oid=$(${payload})`, "done"],
      ["command=fetch", "0001", `packfile-uris ext::sh -c ${payload}`, "done"]
    ]) {
      const body = lines.map((each) => (each === "0001" ? each : pkt(`${each}\n`))).join("")
      expect((await speak("git-upload-pack", `${body}0000`)).status).toBeLessThan(500)
    }
    const change = await newChange()
    for (const ref of [
      "refs/changes/../../hooks/post-update",
      "refs/heads/--upload-pack=x",
      `refs/changes/${change.id}/../../../config`,
      `refs/changes/$(${payload})`,
      `--receive-pack=${payload}`
    ])
      for (const words of [
        "report-status",
        `report-status push-options agent=$(${payload})`,
        "push-cert=x object-format=sha256"
      ]) {
        const { status, text } = await speak(
          "git-receive-pack",
          `${pkt(`${zero} ${"a".repeat(40)} ${ref}\0${words}`)}0000`
        )
        expect([200, 400]).toContain(status)
        expect(text).not.toContain(`ok ${ref}`)
      }
  })

  it("takes no hostile tree or commit by a push, and keeps what is only bytes", async () => {
    const blob = async (text: string) => (await client.run("work", ["hash-object", "-w", "--stdin"], text)).stdout
    const treeOf = async (...lines: ReadonlyArray<string>) =>
      (await client.run("work", ["mktree", "-z", "--missing"], lines.map((each) => `${each}\0`).join(""))).stdout
    const script = await blob(`#!/bin/sh\n${payload}\n`)
    const head = await client.git("work", "rev-parse", "origin/main")
    const inner = await treeOf(`100755 blob ${script}\tpost-checkout`)
    const inTree = (line: string) => async () => treeOf(line)
    const modules = await blob(treeFiles(payload)[".gitmodules"] ?? "")
    let bomb = await treeOf(...Array.from({ length: 10 }, (_, at) => `100644 blob ${script}\tf${at}`))
    for (let depth = 0; depth < 7; depth++)
      bomb = await treeOf(...Array.from({ length: 10 }, (_, at) => `040000 tree ${bomb}\td${at}`))
    const refused: ReadonlyArray<readonly [string, () => Promise<string>]> = [
      ["a folder .git", inTree(`040000 tree ${inner}\t.git`)],
      ["a folder .GIT", inTree(`040000 tree ${inner}\t.GIT`)],
      ["a folder git~1", inTree(`040000 tree ${inner}\tgit~1`)],
      ["a folder .git with a space", inTree(`040000 tree ${inner}\t.git `)],
      ["a folder .git with a code point that is dropped", inTree(`040000 tree ${inner}\t.g\u200cit`)],
      ["a folder above", inTree(`040000 tree ${inner}\t..`)],
      ["a file .git", inTree(`100644 blob ${await blob("gitdir: /tmp/x")}\t.git`)],
      ["a link to .git/hooks", inTree(`120000 blob ${await blob(".git/hooks")}\tlink`)],
      ["a link .gitmodules", inTree(`120000 blob ${modules}\t.gitmodules`)],
      ["a link .gitattributes", inTree(`120000 blob ${modules}\t.gitattributes`)],
      ["a submodule", async () => treeOf(`160000 commit ${head}\tx`, `100644 blob ${modules}\t.gitmodules`)],
      ["a submodule of a commit that is nowhere", inTree(`160000 commit ${"a".repeat(40)}\tx`)],
      ["a tree of few objects and countless entries", async () => bomb],
      ["a name with a line's end", inTree(`100644 blob ${script}\ta\nb`)],
      ["a name with a backslash", inTree(`100644 blob ${script}\thooks\\post-update`)],
      ["an executable", inTree(`100755 blob ${script}\trun.sh`)],
      [
        "modules that are orders",
        inTree(`100644 blob ${await blob(`[submodule "../../x"]\n\tpath = x\n\turl = -u${payload}\n`)}\t.gitmodules`)
      ]
    ]
    const sendTree = async (tree: string, message = payload) => {
      tried++
      const commit = (await client.run("work", ["commit-tree", tree, "-p", head], message)).stdout
      const change = await newChange()
      return { change, pushed: await client.run("work", ["push", "origin", `${commit}:refs/changes/${change.id}`]) }
    }
    for (const [title, make] of refused) {
      const { change, pushed } = await sendTree(await make())
      expect([title, pushed.code, pushed.output]).toEqual([title, 1, expect.stringContaining("[remote rejected]")])
      const { items } = await server.api.get<{ items: ReadonlyArray<unknown> }>(`/v1/changes/${change.id}/changesets`)
      expect([title, items]).toEqual([title, []])
    }
    const names = keptPaths(payload)
    tried += names.length
    const kept = await treeOf(...names.map((name) => `100644 blob ${script}\t${name}`))
    const { change, pushed } = await sendTree(kept, `$(${payload})\u001b[2J`)
    expect([pushed.code, pushed.output]).toEqual([0, expect.stringContaining("Recorded as")])
    await client.git("reader", "fetch", "-q", gitUrl(server.origin, projectId, token), `refs/changes/${change.id}`)
    expect(await client.git("reader", "rev-parse", "FETCH_HEAD^{tree}")).toBe(kept)

    // Headers of a commit that name programs, and what is no commit at all.
    const tree = await treeOf(`100644 blob ${script}\tx`)
    const who = `A <a@a> 0 +0000`
    for (const [type, text] of [
      [
        "commit",
        `tree ${tree}\nparent ${head}\nauthor ${who}\ncommitter ${who}\ngpgsig $(${payload})\nencoding $(${payload})\n\nx\n`
      ],
      ["commit", `tree ${tree}\nparent ${head}\nauthor $(${payload})\ncommitter ${who}\n\nx\n`],
      ["tag", `object ${head}\ntype commit\ntag x\ntagger ${who}\n\n$(${payload})\n`]
    ] as const) {
      tried++
      const id = (await client.run("work", ["hash-object", "-w", "--literally", "-t", type, "--stdin"], text)).stdout
      const change = await newChange()
      const { output } = await client.run("work", ["push", "origin", `${id}:refs/changes/${change.id}`])
      expect(output).toContain("remote: ")
    }
  })

  it("runs nothing that is planted in its repositories, in any operation", () => {
    const [file, data] = [join(folder.path, "planted.trace"), join(folder.path, "planted")]
    const program = fileURLToPath(new URL("HostileRepositories.ts", import.meta.url))
    const [strace = "", ...args] = watched(file).filter((each) => each !== "-D")
    const variables = environment(payload, folder.path)
    writeFileSync(
      join(folder.path, ".gitconfig"),
      configs(payload)
        .map(([section, key, value]) => `[${section}]\n\t${key} = ${JSON.stringify(value)}\n`)
        .join("")
    )
    const { stderr, stdout } = spawnSync(
      strace,
      [...args, process.execPath, "--conditions=pawl-source", program, data, payload],
      { encoding: "utf8", env: { ...process.env, ...variables } }
    )
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^done [0-9a-f]{40}\n$/), expect.anything()])
    tried +=
      hooks.length + configs(payload).length + Object.keys(variables).length + Object.keys(treeFiles(payload)).length
    const programs = executions(file, "--git-dir")
    expect(programs.length).toBeGreaterThan(20)
    expect(foreign(programs)).toEqual([])
    expect(existsSync(ran)).toBe(false)
  })

  it("executed git's own binary alone, in every attempt", async () => {
    await server.stop()
    const programs = executions(trace, projectId)
    expect(programs.length).toBeGreaterThan(100)
    expect(foreign(programs)).toEqual([])
    expect(existsSync(ran)).toBe(false)
    expect(readFileSync(trace, "utf8")).toContain("index-pack")
    expect(tried).toBeGreaterThanOrEqual(40)
    console.log(`${tried} attempts, ${programs.length} executions, none of another program`)
  })
})
