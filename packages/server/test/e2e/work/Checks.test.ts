/** The checks of a Task that is worked outside, by the tools of its agent, on a running server. */
import { join } from "node:path"
import { Limits } from "@pawl/core/primitives/Limits"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type GitClient, gitClient, gitUrl } from "../kit/GitClient.ts"
import { temporaryFolder, token as ownerToken } from "../kit/ServerProcess.ts"
import { assistantAt, type ToolSaid } from "../mcp/Assistant.ts"
import { goesLive, openWork, type Work } from "./WorkWorld.ts"

interface Claimed {
  readonly run: { readonly id: string }
  readonly token: string
  readonly git: { readonly ref: string }
}

interface Checks {
  readonly number: number
  readonly left: number
  readonly state: string
  readonly results: ReadonlyArray<{ readonly checkId: string; readonly result: string }>
}

const folder = temporaryFolder()
let world: Work
let git: GitClient
beforeAll(async () => {
  world = await openWork()
  git = gitClient(join(folder.path, "agents"))
})
afterAll(async () => {
  await world.close()
  folder.remove()
})

const two = [
  { key: "one", title: "One", writes: ["public/one.txt"] },
  { key: "two", title: "Two", writes: ["public/two.txt"] }
]

const checksOf = ({ structured }: ToolSaid) => (structured as unknown as { readonly checks: Checks }).checks
const results = (said: ToolSaid) =>
  checksOf(said)
    .results.map(({ checkId, result }) => `${checkId} ${result}`)
    .toSorted()

/** A claimed Task with its agent's tools, and a way to push for it. */
const held = async (slug: string, tasks = two.slice(0, 1)) => {
  const goal = await world.goal(slug, tasks)
  const claimed = await world.server().api.post<Claimed>(`/v1/tasks/${goal.taskOf("one")}/claim`)
  const url = gitUrl(world.server().origin, goal.project, claimed.token)
  await git.git(".", "init", "-q", slug)
  await git.git(slug, "fetch", "-q", url, `${claimed.git.ref}/base`)
  await git.git(slug, "checkout", "-q", "-b", "work", "FETCH_HEAD")
  const push = async (files: Readonly<Record<string, string>>) => {
    await git.commit(slug, files)
    await git.git(slug, "push", "-q", url, `HEAD:${claimed.git.ref}`)
  }
  return { goal, claimed, push, ...(await assistantAt(world.server().origin, { token: claimed.token })) }
}

/** Calls until they have run: each call ends within a minute. */
const checked = async (call: Awaited<ReturnType<typeof held>>["call"], given: Record<string, unknown> = {}) => {
  let said = await call("checks_run", given)
  while (!said.isError && checksOf(said).state === "running") said = await call("checks_run")
  return said
}

const asked = (path: string, token: string) =>
  fetch(`${world.server().origin}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "{}"
  })

const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code]

describe("The checks of what an agent outside has pushed", () => {
  it("fail and pass as its Candidate would, and it mends its work before it publishes", async () => {
    const { call, client, goal, push } = await held("checked")
    expect(await call("checks_run")).toMatchObject({ isError: true, structured: { code: "nothing_pushed" } })
    await push({ "verdict.txt": "bad", "public/one.txt": "1\n" })
    const failing = await checked(call)
    // The file that the check reads was altered: it is shown with that as it was, too.
    expect(results(failing)).toEqual(["build pass", "test fail", "test@base pass"])
    expect(failing.text).toMatch(/build: passes/)
    expect(failing.text).toMatch(/test: fails\n<data-[0-9a-f]+ of="what test said">/)
    await push({ "verdict.txt": "good" })
    // It is as it was again.
    const passing = await checked(call)
    expect(results(passing)).toEqual(["build pass", "test pass"])
    expect(checksOf(passing)).toMatchObject({ number: 2, left: Limits.outsideCheckRuns - 2 })
    // Once for a commit.
    expect(checksOf(await call("checks_run"))).toEqual(checksOf(passing))
    await call("task_publish", { message: "The work" })
    await client.close()
    // They counted for nothing: the Candidate has evidence of its own.
    await goesLive(world.server(), goal)
  })

  it("run as often as one may, and no more", async () => {
    const { call, claimed, client, push } = await held("often")
    for (let number = 1; number <= Limits.outsideCheckRuns; number++) {
      await push({ "public/one.txt": `${number}\n` })
      expect((await asked(`/v1/runs/${claimed.run.id}/checks`, claimed.token)).status).toBe(202)
    }
    // What was pushed last is what they show.
    expect(checksOf(await checked(call))).toMatchObject({ number: Limits.outsideCheckRuns, left: 0, state: "shown" })
    await push({ "public/one.txt": "once more\n" })
    const over = await call("checks_run")
    expect(over).toMatchObject({ isError: true, structured: { code: "checks_used_up" } })
    expect(over.text).toContain("Publish what is pushed")
    await client.close()
  })

  it("are for the token of that Task, and for who claimed it, while its lease holds", async () => {
    const { call, claimed, client, goal, push } = await held("mine", two)
    await push({ "public/one.txt": "1\n" })
    const path = `/v1/runs/${claimed.run.id}/checks`
    const beside = await world.server().api.post<Claimed>(`/v1/tasks/${goal.taskOf("two")}/claim`)
    expect(await codeOf(await asked(path, beside.token))).toEqual([403, "beyond_task"])
    expect(await codeOf(await asked(path, "pawl_nobody-knows-this-token-000"))).toEqual([401, "unauthenticated"])
    const stranger = await world.server().api.post<{ token: string }>("/v1/users", { name: "Stranger" })
    expect((await asked(path, stranger.token)).status).toBe(404)
    expect(results(await checked(call))).toEqual(["build pass", "test pass"])
    await client.close()
    await world.restart(Limits.outsideLeaseMs + 60_000)
    expect(await codeOf(await asked(path, claimed.token))).toEqual([401, "unauthenticated"])
    expect(await codeOf(await asked(path, ownerToken))).toEqual([409, "run_not_held"])
  })
})
