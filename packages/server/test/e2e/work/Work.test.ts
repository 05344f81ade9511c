/** `pawl work` on a running server: agents that people bring take Tasks from a goal to its host, or give them back. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { slice } from "@pawl/testing/Depth"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as ChangeFlow from "../kit/ChangeFlow.ts"
import { assistantAt } from "../mcp/Assistant.ts"
import { goesLive, type Goal, openWork, said, taskNow, type Work } from "./WorkWorld.ts"

const page = `export default { fetch: () => new Response("from my own agent") }\n`
const two = [
  { key: "page", title: "The page", writes: ["src/index.js"] },
  { key: "note", title: "The note", dependsOn: ["page"], writes: ["public/note.txt"] }
]
const one = two.slice(0, 1)

let world: Work
beforeAll(async () => {
  world = await openWork()
})
afterAll(() => world.close())

/** All that a person could have seen of a command. */
const seen = ({ stderr, stdout }: { readonly stdout: string; readonly stderr: string }) => `${stdout}\n${stderr}`
const folders = () => readdirSync(join(world.user.folder, "../cache/pawl/work"))

/** A Task that is worked by a scripted agent, and what became of it. */
const worked = async (
  goal: Goal,
  name: string,
  steps: Parameters<Work["agent"]>[1],
  args: ReadonlyArray<string> = []
) => {
  const agent = world.agent(name, steps)
  const ended = await world.work(goal, ["--next", "--agent", agent.command, "--acp", "--json", ...args])
  return { ended, said: said(ended), report: agent.report() }
}

describe("A goal", () => {
  it("comes live by an agent that speaks ACP, whose token is nowhere but in its own tools", async () => {
    const goal = await world.goal("acp", two)
    const first = await worked(goal, "page", [
      { tool: "task_read" },
      { read: "src/index.js" },
      { write: "src/index.js", text: page },
      { tool: "claim_paths", given: { paths: ["src/index.js"] } },
      { tool: "change_status" },
      { tool: "app_logs" },
      { tool: "why" },
      { say: "The page is done." }
    ])
    expect(first.said).toMatchObject({ outcome: "published", taskId: goal.taskOf("page"), reason: null })
    expect(first.ended.code).toBe(0)
    expect(first.said.changeset).toMatch(/^cs_run_/)
    expect(first.said.next[0]?.command).toBe(`pawl status ${goal.change} --watch`)
    expect(first.report.prompt).toContain("Goal of acp")
    expect(first.report.prompt).toContain("Your Task: The page")
    expect(first.report.tools).toEqual([
      "task_read",
      "why",
      "app_logs",
      "change_status",
      "claim_paths",
      "checks_run",
      "task_publish",
      "task_give_up"
    ])
    expect(first.report.came.filter((each) => each.startsWith("refused"))).toEqual([])
    expect(first.report.came[0]).toContain("Your Task: The page")
    expect(first.report.token).toMatch(/^pawl_/)
    expect(first.report.tokenSeen).toEqual([])
    expect(first.report.environment.toSorted()).toEqual(["PAWL_MCP_CONFIG", "PAWL_MCP_URL", "PAWL_TASK"])
    expect(seen(first.ended)).not.toContain(first.report.token)
    // Its end is the end of its token.
    await expect(assistantAt(world.server().origin, { token: first.report.token })).rejects.toThrow()
    const second = await worked(goal, "note", [{ write: "public/note.txt", text: "noted\n" }])
    expect(second.said.outcome).toBe("published")
    expect(folders()).toEqual([])
    const app = await goesLive(world.server(), goal)
    expect((await world.server().api.page(app.url)).text).toBe("from my own agent")
    expect((await world.server().api.page(`${app.url}note.txt`)).text).toBe("noted\n")
    expect(world.server().log()).not.toContain(first.report.token)
  })

  it("comes live by a plain command that reads its Task and leaves files and a commit", async () => {
    const goal = await world.goal("plain", two)
    const brief = join(world.user.folder, "brief.txt")
    const config = join(world.user.folder, "config.txt")
    const command = [
      `cat > '${brief}'`,
      `{ stat -c %a "$PAWL_MCP_CONFIG"; cat "$PAWL_MCP_CONFIG"; } > '${config}'`,
      `printf '%s' '${page}' > src/index.js`,
      `git add -A && git -c user.name=a -c user.email=a@b.c commit -qm "The page, by hand"`,
      `echo "token: $(grep -o 'pawl_[^"]*' "$PAWL_MCP_CONFIG")" >&2`
    ].join(" && ")
    const first = await world.work(goal, ["--once", "--agent", command])
    expect({ ...first, stdout: first.stdout.split("\t")[1] }).toMatchObject({ code: 0, stdout: "published" })
    expect(readFileSync(brief, "utf8")).toContain("Your Task: The page")
    const [mode, ...rest] = readFileSync(config, "utf8").split("\n")
    expect(mode).toBe("600")
    const { pawl } = JSON.parse(rest.join("\n")).mcpServers
    expect(pawl).toMatchObject({ type: "http", url: `${world.server().origin}/mcp` })
    const token = pawl.headers.Authorization.replace("Bearer ", "")
    expect(seen(first)).not.toContain(token)
    const sets = await world
      .server()
      .api.get<{ items: ReadonlyArray<{ message: string }> }>(`/v1/changes/${goal.change}/changesets`)
    expect(sets.items.map(({ message }) => message)).toEqual(["The page, by hand"])
    const second = await world.work(goal, [
      "--task",
      goal.taskOf("note"),
      "--agent",
      "mkdir -p public; echo noted > public/note.txt"
    ])
    expect(second.code).toBe(0)
    const app = await goesLive(world.server(), goal)
    expect((await world.server().api.page(app.url)).text).toBe("from my own agent")
  })

  it("of a read-only Task hears what the agent says", async () => {
    const goal = await world.goal("research", [{ key: "look", title: "The look", kind: "research" }, ...one])
    const { said: end } = await worked(goal, "look", [{ say: "It sells " }, { say: "tea." }])
    expect(end).toMatchObject({ outcome: "published", changeset: null, taskId: goal.taskOf("look") })
    expect(await taskNow(world.server(), goal.taskOf("look"))).toMatchObject({ status: "completed" })
  })
})

describe("An agent over ACP", () => {
  it("reads and writes in its folder alone, by whatever way it asks", async () => {
    const goal = await world.goal("reach", one)
    const outside = join(world.user.folder, "outside")
    mkdirSync(outside)
    writeFileSync(join(outside, "secret.txt"), "the person's own")
    const { report, said: end } = await worked(goal, "reach", [
      { write: join(outside, "made.txt"), text: "x" },
      { write: "../made.txt", text: "x" },
      { write: ".git/hooks/pre-commit", text: "#!/bin/sh\nexit 1\n" },
      { write: ".git/config", text: "[core]\n" },
      { read: join(outside, "secret.txt") },
      { read: "../mcp.json" },
      { read: "/etc/passwd" },
      { ask: "edit", path: join(outside, "made.txt") },
      { ask: "edit", path: ".git/config" },
      { ask: "read", path: "/etc/passwd" },
      { ask: "execute" },
      { ask: "edit", path: "src/index.js" },
      { write: "src/index.js", text: page }
    ])
    expect(report.came.slice(0, 7).map((each) => each.startsWith("refused"))).toEqual(Array(7).fill(true))
    expect(report.came.slice(7)).toEqual(["no", "no", "no", "no", "yes", "written"])
    expect(JSON.stringify(report.came)).not.toMatch(/the person's own|root:/)
    expect(existsSync(join(outside, "made.txt"))).toBe(false)
    expect(end.outcome).toBe("published")
  })

  it("follows no link out of its folder", async () => {
    const goal = await world.goal("links", one)
    const outside = join(world.user.folder, "linked")
    mkdirSync(outside)
    const command = world.agent("links", [
      { read: "way/secret.txt" },
      { write: "way/made.txt", text: "x" },
      { write: "src/index.js", text: page }
    ])
    writeFileSync(join(outside, "secret.txt"), "the person's own")
    // The link is made by what starts the agent: as if the agent had a shell.
    const linking = `ln -s '${outside}' way && ${command.command}`
    const ended = await world.work(goal, ["--next", "--agent", linking, "--acp", "--json"])
    expect(command.report().came.map((each) => each.slice(0, 7))).toEqual(["refused", "refused", "written"])
    expect(existsSync(join(outside, "made.txt"))).toBe(false)
    // A link is no plain file: the source takes none.
    expect(said(ended)).toMatchObject({ code: "gave_up" })
  })

  it("may run commands where the person lets it", async () => {
    const goal = await world.goal("commands", one)
    const { report } = await worked(
      goal,
      "commands",
      [{ ask: "execute" }, { write: "src/index.js", text: page }],
      ["--allow-commands"]
    )
    expect(report.came[0]).toBe("yes")
  })
})

describe("An agent that asks no tools over HTTP", () => {
  it("is given pawl mcp to start, with the token of its Task alone, and has the same tools", async () => {
    const goal = await world.goal("stdio", one)
    const agent = world.agent("stdio", [{ tool: "task_read" }, { write: "src/index.js", text: page }])
    const ended = await world.work(goal, ["--next", "--agent", `${agent.command} stdio`, "--acp", "--json"])
    const { came, token, tokenSeen, tools } = agent.report()
    expect(said(ended)).toMatchObject({ outcome: "published" })
    expect(tools).toContain("task_publish")
    expect(tools).not.toContain("open_change")
    expect(came[0]).toContain("Your Task: The page")
    expect(token).toMatch(/^pawl_/)
    expect(tokenSeen).toEqual([])
  })
})

describe("An agent that is known by name", () => {
  // Stand-ins for programs that are not installed here: what is shown is which command is started, and that it is driven.
  const known: ReadonlyArray<readonly [name: string, command: string, args: string]> = [
    ["claude", "claude-agent-acp", ""],
    ["codex", "codex-acp", ""],
    ["opencode", "opencode", "acp"],
    ["gemini", "gemini", "--acp"]
  ]
  it.each(slice(known, { quick: 1 }))(
    "is started as it says of itself, and driven over ACP: %s",
    async (name, command, args) => {
      const goal = await world.goal(`known-${name}`, one)
      const agent = world.agent(name, [{ write: "src/index.js", text: page }])
      const folder = join(world.user.folder, `bin-${name}`)
      mkdirSync(folder)
      const called = join(folder, "called")
      writeFileSync(join(folder, command), `#!/bin/sh\necho "$*" > '${called}'\nexec ${agent.command}\n`, {
        mode: 0o755
      })
      const environment = { PATH: `${folder}:${process.env["PATH"] ?? ""}` }
      const ended = await world.work(goal, ["--next", "--agent", name, "--json"], { environment })
      expect(said(ended)).toMatchObject({ outcome: "published" })
      expect(readFileSync(called, "utf8").trim()).toBe(args)
    }
  )
})

describe("A Task that comes to nothing", () => {
  const cases: ReadonlyArray<readonly [string, Parameters<Work["agent"]>[1] | string, RegExp]> = [
    ["whose agent changes nothing", [], /changed nothing/],
    ["that its agent refuses", [{ end: "refusal" }], /it refused/],
    ["whose agent uses up its tokens", [{ end: "max_tokens" }], /used up its tokens/],
    ["whose agent dies", [{ exit: 3 }], /exited with 3 before its work was done/],
    ["whose command fails", "echo broken >&2; exit 7", /exited with 7/],
    ["whose command is not there", "no-such-agent-anywhere", /exited with 127/],
    ["that its agent gives up by its tools", [{ tool: "task_give_up", given: { reason: "too hard" } }], /too hard/]
  ]
  it.each(slice(cases, { quick: 2 }))(
    "%s is ready again, with the reason, and the command ends with 1",
    async (name, steps, reason) => {
      const goal = await world.goal(`no-${cases.findIndex(([each]) => each === name)}`, one)
      const args =
        typeof steps === "string" ? ["--agent", steps] : ["--agent", world.agent("no", steps).command, "--acp"]
      const ended = await world.work(goal, ["--next", "--json", ...args])
      expect(said(ended)).toMatchObject({ code: "gave_up", reason: expect.stringMatching(reason) })
      expect(ended.code).toBe(1)
      const task = await taskNow(world.server(), goal.taskOf("page"))
      expect(task).toMatchObject({ status: "ready", reason: expect.stringMatching(reason) })
      expect(folders()).toEqual([])
    }
  )

  it("is given up when somebody interrupts it: the agent is told, nothing of it goes on, and the command ends with 130", async () => {
    const goal = await world.goal("interrupted", one)
    const agent = world.agent("interrupted", [{ write: "src/index.js", text: page }, { hang: true }])
    const ending = Promise.withResolvers<void>()
    const polling = setInterval(() => {
      try {
        if (agent.report().came.length === 1) ending.resolve()
      } catch {
        // It has not begun.
      }
    }, 50)
    const ended = await world.work(goal, ["--next", "--agent", agent.command, "--acp", "--json"], {
      onStart: (child) => void ending.promise.then(() => child.kill("SIGINT"))
    })
    clearInterval(polling)
    expect(said(ended)).toMatchObject({ code: "interrupted", taskId: goal.taskOf("page") })
    expect(ended.code).toBe(130)
    expect(agent.report().came).toEqual(["written", "cancelled"])
    expect(await taskNow(world.server(), goal.taskOf("page"))).toMatchObject({ status: "ready", attempt: 1 })
    expect(folders()).toEqual([])
  })

  it("that a person stops ends its agent too", async () => {
    const goal = await world.goal("stopped", one)
    const stop = `curl -fsS -X POST -H 'Authorization: Bearer ${world.ownerToken}' ${world.server().origin}/v1/tasks/${goal.taskOf("page")}/stop > /dev/null`
    const ended = await world.work(goal, ["--next", "--agent", `${stop} && echo x > x.txt`, "--json"])
    expect(said(ended)).toMatchObject({ code: "lease_lost", reason: expect.stringMatching(/stopped by/) })
    expect(ended.code).toBe(1)
  })
})

describe("pawl work", () => {
  it("says what it cannot do, each with its code", async () => {
    const goal = await world.goal("codes", one)
    const codes = async (args: ReadonlyArray<string>, doing = {}) => {
      const ended = await world.work(goal, [...args, "--json"], doing)
      return [ended.code, said(ended).code]
    }
    expect(await codes(["--next"])).toEqual([2, "usage"])
    expect(await codes(["--next", "--task", goal.taskOf("page"), "--agent", "true"])).toEqual([2, "usage"])
    expect(await codes(["--next", "--agent", "claude"])).toEqual([2, "no_agent"])
    expect(await codes(["--task", "tsk_none", "--agent", "true"])).toEqual([1, "unknown_task"])
    expect(await codes(["--next", "--agent", "true"], { environment: { PAWL_TOKEN: "pawl_nobody-at-all" } })).toEqual([
      4,
      "unauthenticated"
    ])
    expect(await codes(["--next", "--agent", "true"], { environment: { PAWL_URL: "http://127.0.0.1:9" } })).toEqual([
      2,
      "unreachable"
    ])
    await world.server().api.put(`/v1/projects/${goal.project}/policy`, { outsideAgents: false })
    expect(await codes(["--next", "--agent", "true"])).toEqual([1, "nothing_ready"])
    expect(await codes(["--task", goal.taskOf("page"), "--agent", "true"])).toEqual([1, "not_claimable"])
    expect((await ChangeFlow.tasksOf(world.server().api, goal.change)).map(({ attempt }) => attempt)).toEqual([0])
  })

  it("works Task after Task until somebody interrupts it, a line of JSON for each", async () => {
    const goal = await world.goal("loop", two)
    const command = `if [ -f public/note.txt ] || grep -q mine src/index.js; then mkdir -p public; echo n > public/note.txt; else echo '// mine' >> src/index.js; fi`
    let interrupted = false
    const ended = await world.work(goal, ["--agent", command, "--json"], {
      onOutput: (all, child) => {
        if (interrupted || all.split("\n").filter((line) => line.includes('"published"')).length < 2) return
        interrupted = true
        child.kill("SIGINT")
      }
    })
    expect(ended.code).toBe(130)
    const lines = ended.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(lines.map(({ code, outcome }) => outcome ?? code)).toEqual(["published", "published", "interrupted"])
    expect((await ChangeFlow.tasksOf(world.server().api, goal.change)).map(({ status }) => status)).toEqual([
      "completed",
      "completed"
    ])
  })
})
