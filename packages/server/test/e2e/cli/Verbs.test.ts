import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import { type Doing, typing, type UserCommand, userCommand } from "../kit/UserCommand.ts"

const home = temporaryFolder()
const data = temporaryFolder()
let server: ServerProcess
let user: UserCommand

beforeAll(async () => {
  server = await startServer({ data: data.path })
  user = userCommand(home.path)
})
afterAll(async () => {
  await server.stop()
  home.remove()
  data.remove()
})

interface Answered {
  readonly user: { readonly id: string }
  readonly candidate: { readonly id: string; readonly changeId: string; readonly tree: string }
  readonly changeset: { readonly id: string; readonly changeId: string }
  readonly next: ReadonlyArray<{ readonly command: string; readonly when: string }>
}

/** Runs a verb that must end with a code, and answers its standard output. */
const said = async (args: ReadonlyArray<string>, code = 0, doing: Doing = {}): Promise<string> => {
  const ended = await user.run(args, doing)
  expect({ args, ...ended }).toMatchObject({ code })
  return ended.stdout
}

const document = async (args: ReadonlyArray<string>, code = 0, doing: Doing = {}): Promise<Answered> =>
  JSON.parse(await said([...args, "--json"], code, doing))

const cells = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"))

describe("The main job by verbs alone", () => {
  const clone = () => join(user.folder, "shop")
  const here = () => ({ folder: clone() })

  it("begins with a token from standard input, which is kept for its owner alone", async () => {
    const signed = await document(["login", server.origin, "--token"], 0, { input: `${token}\n` })
    const file = join(home.path, "config/pawl/hosts.json")
    expect(signed).toMatchObject({ address: server.origin, keptIn: file })
    expect(JSON.stringify(signed)).not.toContain(token)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, "utf8")).hosts[server.origin]).toMatchObject({ token, user: signed.user.id })
    expect(cells(await said(["whoami"]))[0]?.slice(1, 3)).toEqual([signed.user.id, server.origin])
    expect(await said(["auth", "token"])).toBe(`${token}\n`)
  })

  it("may begin by a browser that is signed in: a code is shown, and a token kept that nobody saw", async () => {
    const other = userCommand(join(home.path, "by-a-browser"))
    const answered: Array<Promise<unknown>> = []
    const { code, stdout, stderr } = await other.run(["login", server.origin, "--web", "--json"], {
      onOutput: (all) => {
        const [, userCode] = /let in the device that shows (\S+)/.exec(all) ?? []
        if (userCode !== undefined && answered.length === 0)
          answered.push(server.api.post("/v1/device/confirm", { userCode }))
      }
    })
    await Promise.all(answered)
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stderr).toContain(`open http://localhost:${server.port}/device?code=`)
    expect(JSON.parse(stdout)).toMatchObject({ address: server.origin, user: { name: "Owner" } })
    expect(stdout + stderr).not.toMatch(/pawl_[\w-]{20}/)
    expect((await other.run(["whoami"])).code).toBe(0)
  })

  it("makes a Project and shows it", async () => {
    const [[label, id, url] = []] = cells(await said(["project", "create", "shop", "--template", "shop", "--wait"]))
    expect([label, url]).toEqual(["shop", `http://shop.apps.localhost:${server.port}/`])
    expect(cells(await said(["project", "list"]))[0]?.slice(0, 3)).toEqual(["shop", id, "active"])
    expect(await document(["project", "view", "shop"])).toMatchObject({ project: { id }, canonical: { generation: 0 } })
    expect(await said(["project", "open", "shop"])).toBe(`${url}\n`)
    expect(await said(["open", "--project", "shop"])).toBe(`${url}\n`)
  })

  it("clones it, with the token in no file of the clone", async () => {
    expect(await said(["clone", "shop"])).toBe("shop\n")
    const config = readFileSync(join(clone(), ".git/config"), "utf8")
    expect(config).not.toContain(token)
    expect(config).toContain("auth git-credential")
    const helped = await said(["auth", "git-credential", "get"], 0, {
      input: `protocol=http\nhost=127.0.0.1:${server.port}\n\n`
    })
    expect(helped).toBe(`username=pawl\npassword=${token}\n`)
    const elsewhere = await said(["auth", "git-credential", "get"], 0, {
      input: "protocol=https\nhost=example.org\n\n"
    })
    expect(elsewhere).toBe("")
  })

  it("leaves no open Change behind when there is nothing to push", async () => {
    const refused = await user.run(["push", "-m", "nothing here", "--json"], here())
    expect([refused.code, JSON.parse(refused.stdout).code]).toEqual([1, "push_refused"])
    expect(await document(["change", "list"], 0, here())).toMatchObject({
      items: [{ goal: "nothing here", status: "cancelled" }]
    })
  })

  it("pushes a file, has it checked, and takes it live by the tree that was looked at", async () => {
    writeFileSync(join(clone(), "public/hours.html"), "<h1>Open 9 to 18</h1>\n")
    const pushed = await document(
      ["push", "public/hours.html", "-m", "Add the opening hours", "--candidate"],
      0,
      here()
    )
    const { id, changeId, tree } = pushed.candidate
    expect(pushed).toMatchObject({
      changeset: { message: "Add the opening hours", files: [{ path: "public/hours.html", status: "added" }] },
      candidate: { status: "verified", base_generation: 0 },
      next: [{ command: `pawl promote ${changeId}` }]
    })
    expect(cells(await said(["change", "list"], 0, here()))[0]?.slice(0, 2)).toEqual([changeId, "verifying"])
    for (const asked of [
      ["--kind", "goal"],
      ["--search", "HOURS add"],
      ["--search", changeId],
      ["--status", "verifying"],
      ["--status", "created", "--status", "verifying", "--risk", "low", "--risk", "medium", "--risk", "high"]
    ])
      expect(cells(await said(["change", "list", ...asked], 0, here()))[0]?.[0]).toBe(changeId)
    for (const asked of [
      ["--kind", "rollback"],
      ["--search", "minutes"],
      ["--created-by", "usr_nobody"],
      ["--status", "created", "--status", "completed"]
    ])
      expect((await said(["change", "list", ...asked], 0, here())).includes(changeId)).toBe(false)
    expect(await document(["change", "list", "--kind", "wish"], 2, here())).toMatchObject({ code: "invalid_field" })
    expect((await said(["change", "view", changeId])).split("\n")[2]).toContain(id)
    expect(await said(["diff", changeId])).toContain("+<h1>Open 9 to 18</h1>")
    expect(await document(["diff", id])).toMatchObject({ id, files: [{ path: "public/hours.html" }] })
    expect(await said(["diff", id, "--path", "public"])).toContain("+<h1>Open 9 to 18</h1>")
    expect(await document(["diff", id, "--path", "src"])).toMatchObject({ id, files: [] })
    expect(await document(["diff", id, "--path", "../public"], 2)).toMatchObject({ code: "invalid_path" })
    expect(await said(["why", changeId])).toContain(`${id}: verified`)
    expect(await said(["open", "--preview", changeId])).toContain("apps.localhost")
    expect((await user.run(["promote", changeId])).code).toBe(2)
    expect(await document(["promote", changeId, "--tree", "000000"], 5)).toMatchObject({ code: "stale", tree })
    expect(await said(["promote", changeId, "--tree", tree.slice(0, 7), "--wait"])).toBe(
      `S1\tpromoted\t${tree.slice(0, 7)}\tdeployed\n`
    )
    expect(await document(["promote", changeId, "--tree", tree])).toMatchObject({ outcome: "alreadyPromoted" })
    expect(await document(["status", changeId, "--watch"])).toMatchObject({ change: { status: "completed" } })
  })

  it("pushes a clone's commits to the Change of their branch", async () => {
    const { execFileSync } = await import("node:child_process")
    const git = (...args: ReadonlyArray<string>) =>
      execFileSync("git", ["-c", "user.name=Someone", "-c", "user.email=someone@example.org", ...args], {
        cwd: clone()
      })
    git("checkout", "-q", "-b", "note")
    writeFileSync(join(clone(), "note.txt"), "one\n")
    git("add", "note.txt")
    git("commit", "-q", "-m", "A note")
    const first = await document(["push"], 0, here())
    writeFileSync(join(clone(), "note.txt"), "two\n")
    git("commit", "-q", "-a", "-m", "Another note")
    const second = await document(["push"], 0, here())
    expect(second.changeset.changeId).toBe(first.changeset.changeId)
    expect(second.changeset.id).not.toBe(first.changeset.id)
    expect(await document(["change", "cancel", first.changeset.changeId, "--yes"])).toMatchObject({
      change: { status: "cancelled" }
    })
  })

  it("has a change of what is checked approved first", async () => {
    const file = join(clone(), "pawl.json")
    const kept = JSON.parse(readFileSync(file, "utf8"))
    writeFileSync(file, JSON.stringify({ ...kept, checks: [...kept.checks, { id: "short", command: "true" }] }))
    const change = (await said(["change", "create", "Check more"], 0, here())).trim()
    const pushed = await document(["push", "pawl.json", "-m", "Check more", "--change", change], 0, here())
    expect(pushed.changeset.changeId).toBe(change)
    const { candidate } = await document(["candidate", "create", change], 0)
    const blocked = await document(["promote", change], 1)
    expect(blocked).toMatchObject({ code: "blocked", blocks: [{ code: "approval_missing" }] })
    expect(blocked.next[0]).toEqual({ command: `pawl approve ${change}`, when: "you may approve" })
    expect(await document(["approve", change, "--tree", "ffffffff"], 5)).toMatchObject({ code: "stale" })
    expect(await document(["approve", change, "--yes", "--note", "two\nlines"], 2)).toMatchObject({ field: "note" })
    const asked = await user.atTerminal(["approve", change], { ...here(), ...typing("n\n", "Approve tree") })
    expect(asked.code).toBe(1)
    const shown = asked.stdout.slice(0, asked.stdout.indexOf("Approve tree"))
    expect(shown).toContain(`Candidate ${candidate.id} on S1, risk high, verified`)
    expect(shown).toContain("high: it touches checks, settings, migrations or packages")
    expect(shown).toMatch(/ {2}1 file, \+\d+ −\d+ · build pass, .*short pass.* · preview http:\/\/\S+/)
    const noted = ["approve", change, "--tree", candidate.tree.slice(0, 8), "--note", "seen and run"]
    expect(await said(noted)).toMatch(/^granted\tapr_/)
    const { items } = JSON.parse(await said(["api", "GET", `/v1/changes/${change}/approvals`]))
    expect(items).toMatchObject([{ decision: "granted", note: "seen and run" }])
    expect(await document(["reject", change, "--yes"], 1)).toMatchObject({ code: "already_decided" })
    expect(await said(["promote", change, "--yes"])).toMatch(/^S2\tpromoted\t/)
  })

  it("shows what a rollback would do before it asks, and does nothing without a yes", async () => {
    const shown = await user.atTerminal(["rollback", "--to", "S1"], { ...here(), ...typing("n\n", "Roll back?") })
    expect(shown.code).toBe(1)
    const before = shown.stdout.slice(0, shown.stdout.indexOf("Roll back?"))
    expect(before).toMatch(/It undoes S2 chg_\S+ \(high\): Check more/)
    expect(before).toContain("It changes 1 file")
    expect(before).toContain("Risk high: one person must approve")
    expect((await said(["change", "list"], 0, here())).includes("Roll back to")).toBe(false)
  })

  it("goes back by a step forward, and tells what happened", async () => {
    const back = ["rollback", "--to", "S1", "--yes", "--wait", "--reason", "too strict"]
    const owed = await document(back, 1, here())
    expect(owed).toMatchObject({ code: "blocked", blocks: [{ code: "approval_missing" }] })
    const change = owed.next[0]?.command.split(" ")[2] ?? ""
    const kept = JSON.parse(await said(["api", "GET", `/v1/changes/${change}`]))
    expect(kept.change).toMatchObject({ kind: "rollback", rollbackReason: "too strict" })
    expect(await said(["approve", change, "--yes"])).toMatch(/^granted\t/)
    expect(await said(["promote", change, "--yes", "--wait"])).toMatch(/^S3\tpromoted\t/)
    const events = cells(await said(["events", "--limit", "1000"], 0, here()))
    expect(events.map(([sequence]) => Number(sequence))).toEqual(events.map((_, at) => at + 1))
    expect(events.filter(([, , type]) => type === "canonical.advanced").length).toBe(3)
    const some = cells(
      await said(["events", "--type", "canonical.advanced", "--type", "change.completed", "--limit", "2"], 0, here())
    )
    expect(some.map(([, , type]) => type)).toEqual(["canonical.advanced", "change.completed"])
    expect(await document(["events", "--type", "canonical"], 2, here())).toMatchObject({
      code: "invalid_field",
      field: "types"
    })
    expect(cells(await said(["status"], 0, here()))[0]?.slice(0, 2)).toEqual(["shop", "active"])
    expect(await document(["logs"], 0, here())).toMatchObject({ items: expect.any(Array) })
    expect(JSON.parse(await said(["api", "GET", "/v1/me"]))).toMatchObject({ token: { scopes: expect.any(Array) } })
    const made = await said(["api", "post", "/v1/projects", "--input", "-"], 0, { input: '{"slug":"raw"}' })
    expect(JSON.parse(made)).toMatchObject({ project: { slug: "raw" } })
  })

  it("follows events one line each, until it is interrupted: 130", async () => {
    const followed = await user.run(["events", "-f", "--json"], {
      ...here(),
      onOutput: (all, child) => void (all.includes("\n") && child.kill("SIGINT"))
    })
    expect(followed.code).toBe(130)
    const rows = followed.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(rows[0]).toMatchObject({ sequence: 1, specversion: "1.0" })
    const kept = await user.run(["events", "-f", "--json", "--type", "canonical.advanced"], {
      ...here(),
      onOutput: (all, child) => void (all.split("\n").length > 3 && child.kill("SIGINT"))
    })
    const types = kept.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).type)
    expect([...new Set(types)]).toEqual(["canonical.advanced"])
  })

  it("ends with a sign-out, which can end the token too", async () => {
    const { token: own } = JSON.parse(
      await said(["api", "POST", "/v1/tokens", "--input", "-"], 0, { input: '{"name":"laptop"}' })
    )
    await said(["login", server.origin, "--token"], 0, { input: own })
    await said(["logout", server.origin, "--revoke"])
    expect(await document(["whoami", "--url", server.origin], 4)).toMatchObject({ code: "not_signed_in" })
    const refused = await document(["whoami", "--url", server.origin], 4, { environment: { PAWL_TOKEN: own } })
    expect(refused).toMatchObject({ code: "unauthenticated" })
    expect((await user.run(["logout", server.origin])).code).toBe(1)
  })
})
