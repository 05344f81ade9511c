import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { slice } from "@pawl/testing/Depth"
import { userVerbs } from "../../../src/node/commands/user/UserVerbs.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import { typing, type UserCommand, type UserEnded, userCommand, watching } from "../kit/UserCommand.ts"

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

/** Arguments that each verb can be asked with, about what there is not. */
const argumentsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  "<project>": ["proj_00000000-0000-4000-8000-000000000000"],
  "<change>": ["chg_00000000-0000-4000-8000-000000000000"],
  "<candidate>": ["cand_000000000000000000000000"],
  "<slug>": ["Not A Slug"],
  "<goal>": ["a goal"],
  "<operation>": ["get"],
  "<method>": ["GET"],
  "<path>": ["/v1/tokens"],
  "<shell>": ["tcsh"]
}

const asked = (verb: (typeof userVerbs)[number]): ReadonlyArray<string> => [
  ...verb.name.split(" "),
  ...verb.takes.flatMap((each) => argumentsOf[each] ?? [])
]

const escape = "\u001b"

/** What each verb answers with `--json`: one document, and no ESC anywhere. */
const judged = (args: ReadonlyArray<string>, { code, stderr, stdout }: UserEnded) => {
  const lines = stdout.trimEnd().split("\n")
  expect({ args, lines: lines.length, escapes: `${stdout}${stderr}`.includes(escape) }).toEqual({
    args,
    lines: 1,
    escapes: false
  })
  const document: unknown = JSON.parse(stdout)
  expect({ args, document }).toMatchObject({ document: { next: expect.any(Array) } })
  if (code !== 0)
    expect({ args, document }).toMatchObject({ document: { code: expect.any(String), detail: expect.any(String) } })
  return code
}

const cases: ReadonlyArray<readonly [string, () => Readonly<Record<string, string>>, ReadonlyArray<string>]> = [
  ["where nobody is signed in", () => ({ PAWL_URL: server.origin }), []],
  ["with a token that is refused", () => ({ PAWL_URL: server.origin, PAWL_TOKEN: "pawl_nobody" }), []],
  ["when the server is away", () => ({ PAWL_URL: "http://127.0.0.1:1", PAWL_TOKEN: token }), []],
  ["about what there is not", () => ({ PAWL_URL: server.origin, PAWL_TOKEN: token, PAWL_PROJECT: "nothing" }), []],
  ["with an option that there is not", () => ({}), ["--no-such-option"]],
  ["with help", () => ({ FORCE_COLOR: "1" }), ["--help"]]
]

describe("Every verb answers --json with one document and no ESC", () => {
  // Each is a process for every verb.
  it.each(slice(cases, { quick: 2 }))("%s", async (title, environment, more) => {
    const codes = new Map<string, number | null>()
    const left = [...userVerbs]
    const work = async () => {
      for (let verb = left.pop(); verb !== undefined; verb = left.pop()) {
        const args = [...asked(verb), ...more, "--json"]
        codes.set(verb.name, judged(args, await user.run(args, { environment: { ...environment(), NO_COLOR: "1" } })))
      }
    }
    await Promise.all([work(), work(), work(), work()])
    const of = (...names: ReadonlyArray<string>) => names.map((name) => codes.get(name))
    const asking = ["whoami", "change view", "status", "diff", "why", "approve", "promote", "api"]
    if (title.includes("signed in") || title.includes("refused"))
      expect(of(...asking)).toEqual([4, 4, expect.any(Number), 4, 4, 4, 4, 4])
    if (title.includes("away")) expect(new Set(of("whoami", "change view", "why", "api"))).toEqual(new Set([2]))
    if (title.includes("there is not") && more.length === 0)
      expect(of("change view", "diff", "why", "approve", "promote", "project view", "logs")).toEqual([
        1, 1, 1, 1, 1, 1, 1
      ])
    if (more.includes("--no-such-option")) expect(new Set(codes.values())).toEqual(new Set([2]))
    if (more.includes("--help")) expect(new Set(codes.values())).toEqual(new Set([0]))
  })
})

describe("A command line", () => {
  const signed = () => ({ PAWL_URL: server.origin, PAWL_TOKEN: token })

  it.each([
    [["statsu"], '"status"'],
    [["project", "craete"], '"create"'],
    [["project", "list", "--lmit", "3"], '"--limit"'],
    [["promote"], "change is missing"],
    [["why", "one", "two"], "one argument too many"],
    [["push", "-m"], "needs a message"],
    [["login", "ftp://example.org", "--token"], "is no address"],
    [["api", "GET", "//example.org/"], "is no path"]
  ])("says what is wrong: pawl %s", async (args, words) => {
    const { code, stderr, stdout } = await user.run(args, { environment: signed() })
    expect({ code, stdout, stderr }).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(words) })
  })

  it("without a terminal says what to give instead of asking", async () => {
    const { code, stderr } = await user.run(["status"], { environment: signed() })
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("PAWL_PROJECT") })
  })

  it("tells its version, and help without an ESC, of operators' commands too", async () => {
    expect((await user.run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    for (const args of [["--help"], ["serve", "--help"], ["approve", "--sign", "--help"]]) {
      const { code, stdout } = await user.run(args)
      expect({ args, code, escapes: stdout.includes(escape), empty: stdout === "" }).toEqual({
        args,
        code: 0,
        escapes: false,
        empty: false
      })
    }
  })
})

describe("What takes long", () => {
  it("ends with 8 where it is not waited for, with 130 at ^C, and 5 where another one came first", async () => {
    const environment = { PAWL_URL: server.origin, PAWL_TOKEN: token }
    const files = {
      "pawl.json": '{"checks":[{"id":"slow","command":"test ! -e slow.txt || sleep 600"}]}',
      "wrangler.json": '{"main":"src/index.js","compatibility_date":"2026-01-01"}',
      "src/index.js": "export default { fetch: () => new Response('here') }\n"
    }
    const { project } = await server.api.post<{ project: { id: string } }>("/v1/projects", { slug: "slow", files })
    const of = { environment: { ...environment, PAWL_PROJECT: project.id } }
    const changed = async (files: Readonly<Record<string, string>>) => {
      const id = (await user.run(["change", "create", "a goal"], of)).stdout.trim()
      await server.api.post(`/v1/changes/${id}/changesets`, { message: "an edit", files })
      return id
    }
    const slow = await changed({ "slow.txt": "yes\n" })
    const begun = await user.run(["candidate", "create", slow, "--no-wait", "--json"], of)
    expect([begun.code, JSON.parse(begun.stdout).candidate.changeId]).toEqual([8, slow])
    expect((await user.run(["status", slow, "--watch", "--timeout", "0.01"], of)).code).toBe(8)
    expect((await user.run(["promote", slow, "--yes"], of)).code).toBe(8)
    const interrupted = await user.atTerminal(["status", slow, "--watch", "--json"], {
      ...of,
      ...typing("\u0003", "verifying")
    })
    expect([interrupted.code, interrupted.stdout]).toEqual([130, expect.stringContaining('"code":"interrupted"')])
    expect((await user.run(["change", "cancel", slow, "--yes"], of)).code).toBe(0)

    const [one, two] = [await changed({ "one.txt": "1\n" }), await changed({ "two.txt": "2\n" })]
    const candidates = []
    for (const id of [one, two]) {
      const { code, stdout } = await user.run(["candidate", "create", id, "--json"], of)
      expect({ code, stdout }).toMatchObject({ code: 0 })
      candidates.push(JSON.parse(stdout).candidate.id)
    }
    expect((await user.run(["promote", candidates[0], "--yes"], of)).code).toBe(0)
    const stale = await user.run(["promote", candidates[1], "--yes", "--json"], of)
    expect([stale.code, JSON.parse(stale.stdout).code]).toEqual([5, "stale"])
  })
})

describe("At a terminal", () => {
  const environment = () => ({ PAWL_URL: server.origin, PAWL_TOKEN: token })

  it("asks, and does nothing without a yes; shows tables with a head; colours only where they are wanted", async () => {
    const { project } = await server.api.post<{ project: { id: string } }>("/v1/projects", {
      slug: "asked",
      template: "blank"
    })
    const of = { environment: { ...environment(), PAWL_PROJECT: project.id } }
    const id = (await user.run(["change", "create", "a goal\u001b[31m of somebody"], of)).stdout.trim()
    const answering = (answer: string, question: string) => ({ ...of, ...typing(answer, question) })
    expect((await user.atTerminal(["change", "cancel", id], answering("n\r", "[y/N]"))).code).toBe(1)
    expect((await user.atTerminal(["change", "cancel", id], answering("\u0003", "[y/N]"))).code).toBe(130)
    const coloured = await user.atTerminal(["status"], { ...of, ...watching })
    expect([coloured.stdout.includes("STATUS"), coloured.stdout.includes(`${escape}[31m of somebody`)]).toEqual([
      true,
      false
    ])
    const plain = await user.atTerminal(["change", "list"], {
      environment: { ...of.environment, NO_COLOR: "1" },
      ...watching
    })
    expect([plain.stdout.includes("GOAL"), plain.stdout.includes(escape)]).toEqual([true, false])
    expect((await user.atTerminal(["change", "cancel", id], answering("y\r", "[y/N]"))).code).toBe(0)
    const cancelled = await user.atTerminal(["change", "list"], { ...of, ...watching })
    expect(cancelled.stdout).toContain(`${escape}[31mcancelled`)
    const chosen = await user.atTerminal(["project", "view"], {
      environment: environment(),
      ...typing("asked\r", "Which Project?")
    })
    expect([chosen.code, chosen.stdout]).toEqual([0, expect.stringContaining(project.id)])
  })

  it("prints one document and no ESC with --json, of what it found and of what it refuses", async () => {
    const errors = join(home.path, "errors.txt")
    const nobody = { ...environment(), PAWL_TOKEN: "pawl_nobody" }
    const asked = [
      [["whoami"], environment(), 0],
      [["project", "list"], environment(), 0],
      [["change", "view", "chg_00000000-0000-4000-8000-000000000000"], environment(), 1],
      [["promote"], environment(), 2],
      [["whoami", "--no-such-option"], environment(), 2],
      [["project", "list"], nobody, 4]
    ] as const
    for (const [args, given, wanted] of asked) {
      const { code, stdout } = await user.atTerminal([...args, "--json"], {
        environment: { ...given, FORCE_COLOR: "1" },
        errorsTo: errors,
        ...watching
      })
      const escapes = stdout.includes(escape) || readFileSync(errors, "utf8").includes(escape)
      expect({ args, code, escapes }).toEqual({ args, code: wanted, escapes: false })
      expect({ args, document: JSON.parse(stdout) }).toMatchObject({
        document: wanted === 0 ? {} : { code: expect.any(String), next: expect.any(Array) }
      })
    }
  })

  it("does not show a token that is typed", async () => {
    const { code, stdout } = await user.atTerminal(["login", server.origin], typing(`${token}\r`, "Token for"))
    expect([code, stdout.includes(token)]).toEqual([0, false])
  })
})
