import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import { visit } from "../kit/Visit.ts"
import { type Doing, type UserCommand, userCommand } from "../kit/UserCommand.ts"

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

const run = (project: string, args: ReadonlyArray<string>, doing: Doing = {}) =>
  user.run(args, { ...doing, environment: { PAWL_URL: server.origin, PAWL_TOKEN: token, PAWL_PROJECT: project } })

/** A way to what the server answers to GET, on which something is done before the first request for a path is passed on. */
const throughAnother = async (path: string, first: () => Promise<unknown>) => {
  let done: Promise<unknown> | undefined
  const answerOf = async ({ headers, url = "/" }: IncomingMessage) => {
    if (url.startsWith(path)) await (done ??= first())
    return fetch(`${server.origin}${url}`, { headers: { authorization: headers.authorization ?? "" } })
  }
  const way = createServer((request, answer) => {
    void answerOf(request).then(async (passed) => {
      answer.writeHead(passed.status, { "content-type": passed.headers.get("content-type") ?? "" })
      answer.end(await passed.text())
    })
  })
  await new Promise<void>((listens) => way.listen(0, "127.0.0.1", listens))
  return { origin: `http://127.0.0.1:${(way.address() as AddressInfo).port}`, stop: () => way.close() }
}

/** The document of a verb that must end with a code. */
const document = async (project: string, args: ReadonlyArray<string>, code = 0) => {
  const ended = await run(project, [...args, "--json"])
  expect({ args, ...ended }).toMatchObject({ code })
  return JSON.parse(ended.stdout)
}

describe("Why", () => {
  it("shows the newest step of a history of more than a page", async () => {
    const { api } = server
    const { id } = await Flow.createProject(api, "long-history", { "notes.txt": "one\n" })
    const change = await Flow.openChange(api, id, "edited often")
    await Flow.edit(api, change, { "notes.txt": "first\n" })
    await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
    for (let at = 1; at < 100; at++) await Flow.edit(api, change, { "notes.txt": `${at}\n` })
    const newest = await api.get<{ items: ReadonlyArray<unknown> }>(
      `/v1/changes/${change.id}/history?order=newest&limit=1`
    )
    const { hasMoreHistory, history } = await document(id, ["why", change.id])
    expect([history.length > 100, history.at(-1), hasMoreHistory]).toEqual([true, newest.items[0], false])
    expect(history[0]).toMatchObject({ id: change.id, from: null })
  })
})

describe("What the app prints", () => {
  /** An app that prints the number of lines that its path says. */
  const printing = Flow.source("prints", {
    "src/index.js": `export default { fetch(request) {
      const [, word, count] = new URL(request.url).pathname.split("/")
      for (let at = 0; at < Number(count ?? 0); at++) console.log(word + " " + at)
      return new Response("printed")
    } }`
  })

  it("is followed until ^C, each line once, and shown to the limit", async () => {
    const { api } = server
    const { id } = await Flow.createProject(api, "printing", printing)
    await Flow.liveApp(api, id, 0)
    const ask = async (path: string) => (await visit(server, "printing", path)).text
    const page = (query: string) =>
      api.get<{ items: ReadonlyArray<{ sequence: number; source: string; text: string }> }>(
        `/v1/projects/${id}/app/logs?${query}`
      )
    expect(await ask("/early/120")).toBe("printed")
    // Of what an app prints within a second 100 lines are kept, and then one that says so.
    const { items: end } = await Flow.until(
      () => page("limit=100"),
      ({ items }) => items.some(({ source, text }) => source === "limit" || text === "early 119")
    )
    const stored = [...(await page("after=0&limit=100")).items, ...(await page("after=100&limit=100")).items]
    const { items } = await document(id, ["logs", "--limit", "500"])
    expect([stored.length > 100, items, end.at(-1)]).toEqual([true, stored, stored.at(-1)])
    expect((await document(id, ["logs"])).items).toEqual(stored.slice(-100))

    const more: Array<Promise<unknown>> = []
    const followed = await run(id, ["logs", "-f", "--json", "--limit", "500"], {
      onOutput: (all, child) => {
        if (all.includes(`"sequence":${stored.length},`) && more.length === 0) more.push(ask("/late/3"))
        if (all.includes("late 2")) child.kill("SIGINT")
      }
    })
    await Promise.all(more)
    const rows: typeof stored = followed.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect([followed.code, rows.map(({ text }) => text)]).toEqual([
      130,
      [...stored.map(({ text }) => text), "late 0", "late 1", "late 2"]
    ])
  })
})

describe("The status of a Project that is watched", () => {
  /** A Project whose checks last until they are told to end. */
  const slow = {
    "pawl.json": '{"checks":[{"id":"slow","command":"test ! -e slow.txt || sleep 600"}]}',
    "public/index.html": "<h1>here</h1>\n"
  }

  it("goes on while a Change does, and ends when none goes on by itself", async () => {
    const { api } = server
    const { id } = await Flow.createProject(api, "watched", slow)
    const waiting = await Flow.openChange(api, id, "waits for a ChangeSet")
    const moving = await Flow.openChange(api, id, "is checked")
    expect(await document(id, ["status", "--watch"])).toMatchObject({
      changes: [{ id: moving.id }, { id: waiting.id }]
    })
    await Flow.edit(api, moving, { "slow.txt": "yes\n" })
    await Flow.requestCandidate(api, moving)
    expect(await document(id, ["status", "--watch", "--timeout", "0.01"], 8)).toMatchObject({ code: "still_running" })
    let cancelled: Promise<unknown> | undefined
    const watched = await user.atTerminal(["status", "--watch"], {
      environment: { PAWL_URL: server.origin, PAWL_TOKEN: token, PAWL_PROJECT: id },
      onOutput: (all) => {
        if (all.includes(`${moving.id}  verifying`)) cancelled ??= api.post(`/v1/changes/${moving.id}/cancel`)
      }
    })
    await cancelled
    expect([watched.code, watched.stdout.includes(`${moving.id}  over`)]).toEqual([0, true])
    expect(await document(id, ["status"])).toMatchObject({ changes: [{ id: waiting.id }] })
  })

  it("ends where a person's ChangeSet waits for somebody who asks for its Candidate, and says so", async () => {
    const { api } = server
    const { id } = await Flow.createProject(api, "not-asked-for", slow)
    const change = await Flow.openChange(api, id, "has a ChangeSet")
    await Flow.edit(api, change, { "notes.txt": "one\n" })
    for (const watch of [[], ["--watch"]])
      expect(await document(id, ["status", change.id, ...watch])).toMatchObject({
        change: { status: "verifying" },
        candidate: null,
        next: [{ command: `pawl candidate create ${change.id}` }, { command: expect.stringContaining("pawl push") }]
      })
    expect(await document(id, ["status", "--watch"])).toMatchObject({ changes: [{ id: change.id }] })
  })

  it("tells what a Change came to between two of its questions", async () => {
    const { api } = server
    const { id } = await Flow.createProject(api, "watched-between", slow)
    const moving = await Flow.openChange(api, id, "is cancelled while it is asked about")
    await Flow.edit(api, moving, { "slow.txt": "yes\n" })
    await Flow.requestCandidate(api, moving)
    // The list said that it is verified; before its Candidates are read, it is over.
    const way = await throughAnother(`/v1/changes/${moving.id}/candidates`, () =>
      api.post(`/v1/changes/${moving.id}/cancel`)
    )
    const watched = await user.atTerminal(["status", "--watch"], {
      environment: { PAWL_URL: way.origin, PAWL_TOKEN: token, PAWL_PROJECT: id }
    })
    way.stop()
    const told = watched.stdout.split(/\r?\n/).filter((line) => line.startsWith(moving.id))
    expect([watched.code, told]).toEqual([0, [`${moving.id}  verifying`, `${moving.id}  over`]])
  })

  it.each([[[]], [["--watch"]], [["chg_1"]], [["cand_1"]]])("takes no time below 0: %s", async (args) => {
    const ended = await run("proj_1", ["status", ...args, "--timeout", "-1"])
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining("--timeout takes seconds above 0")])
  })
})
