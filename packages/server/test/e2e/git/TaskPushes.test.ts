/** git with the token of a claimed Task: it fetches what the Task begins with, and pushes the work. */
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as ChangeFlow from "../kit/ChangeFlow.ts"
import * as Flow from "../kit/Flow.ts"
import { type GitClient, gitClient, gitUrl } from "../kit/GitClient.ts"
import { temporaryFolder, token } from "../kit/ServerProcess.ts"
import { type Goal, openWork, type Work } from "../work/WorkWorld.ts"

interface Claimed {
  readonly run: { readonly id: string }
  readonly token: string
  readonly git: { readonly url: string; readonly ref: string; readonly base: string }
}

const folder = temporaryFolder()
let world: Work
let client: GitClient
beforeAll(async () => {
  world = await openWork()
  client = gitClient(join(folder.path, "agents"))
})
afterAll(async () => {
  await world.close()
  folder.remove()
})

const api = () => world.server().api
const claim = (id: string) => api().post<Claimed>(`/v1/tasks/${id}/claim`)
const url = ({ project }: Goal, secret: string) => gitUrl(world.server().origin, project, secret)

/** A clone of what a Task begins with, as somebody makes one by hand. */
const cloned = async (goal: Goal, claimed: Claimed, name: string) => {
  await client.git(".", "init", "-q", name)
  await client.git(name, "fetch", "-q", url(goal, claimed.token), `${claimed.git.ref}/base`)
  await client.git(name, "checkout", "-q", "-b", "work", "FETCH_HEAD")
  return (to: string, from = "HEAD") => client.run(name, ["push", url(goal, claimed.token), `${from}:${to}`])
}

const published = (claimed: Claimed) =>
  api().post<{ changeset: { message: string; files: ReadonlyArray<{ path: string }> } | null }>(
    `/v1/runs/${claimed.run.id}/publish`,
    { message: "The work" }
  )

const two = [
  { key: "one", title: "One", writes: ["public/one.txt"] },
  { key: "two", title: "Two", dependsOn: ["one"], writes: ["public/two.txt"] }
]

describe("The token of a Task", () => {
  it("shows git what the Task begins with, and moves its own ref alone", async () => {
    const goal = await world.goal("own-ref", [...two, { key: "beside", title: "Beside" }])
    const other = await world.goal("other-project", two)
    const change = await Flow.openChange(api(), goal.project, "a person's")
    const { commit } = await Flow.edit(api(), change, { "public/person.txt": "x\n" })
    const claimed = await claim(goal.taskOf("one"))
    expect(new URL(claimed.git.url).pathname).toBe(`/git/${goal.project}.git`)
    const refs = await client.git(".", "ls-remote", url(goal, claimed.token))
    expect(refs).toBe(`${claimed.git.base}\trefs/tasks/${goal.taskOf("one")}/base`)
    const push = await cloned(goal, claimed, "own")
    await client.commit("own", { "public/one.txt": "1\n" })
    const elsewhere = [
      "refs/heads/main",
      `refs/changes/${goal.change}`,
      `refs/changes/${change.id}`,
      `refs/tasks/${goal.taskOf("beside")}`,
      `${claimed.git.ref}/base`,
      "refs/pawl/statements"
    ]
    for (const ref of elsewhere) expect([ref, (await push(ref)).code]).toEqual([ref, 1])
    // What it is not shown it does not get by its id either, and no other Project has anything for it.
    expect((await client.run("own", ["fetch", url(goal, claimed.token), commit])).code).not.toBe(0)
    expect((await client.run("own", ["fetch", url(other, claimed.token)])).output).toMatch(/403/)
    expect((await push(claimed.git.ref, "")).code).not.toBe(0)
    expect((await push(claimed.git.ref)).output).toMatch(/Taken: 1 file differs/)
    expect((await client.run("own", ["push", url(goal, token), `HEAD:${claimed.git.ref}`])).output).toMatch(
      /pushed to with the token that its claim answered/
    )
    expect((await published(claimed)).changeset?.files.map(({ path }) => path)).toEqual(["public/one.txt"])
    expect((await push(claimed.git.ref)).output).toMatch(/401|Authentication failed/)
  })

  it("takes what was pushed last, on what the Task depends on, and nothing that goes back to something else", async () => {
    const goal = await world.goal("stacked", two)
    const first = await claim(goal.taskOf("one"))
    const push = await cloned(goal, first, "first")
    await client.commit("first", { "public/one.txt": "wrong\n" })
    expect((await push(first.git.ref)).code).toBe(0)
    await client.commit("first", { "public/one.txt": "1\n" })
    expect((await push(first.git.ref)).code).toBe(0)
    await client.git("first", "checkout", "-q", "--orphan", "alone")
    await client.commit("first", { "public/alone.txt": "x\n" })
    expect((await push(first.git.ref)).output).toMatch(/not made on what the Task begins with/)
    await published(first)
    const second = await claim(goal.taskOf("two"))
    const pushSecond = await cloned(goal, second, "second")
    expect(await client.git("second", "show", "HEAD:public/one.txt")).toBe("1")
    await client.commit("second", { "public/two.txt": "2\n" })
    expect((await pushSecond(second.git.ref)).output).toMatch(/Taken: 1 file differs/)
    expect((await published(second)).changeset?.files.map(({ path }) => path)).toEqual(["public/two.txt"])
    expect((await ChangeFlow.verifiedOf(api(), goal.change)).changeSets.length).toBe(2)
  })

  it("completes a Task with nothing when what it begins with is pushed", async () => {
    const goal = await world.goal("unchanged", two.slice(0, 1))
    const claimed = await claim(goal.taskOf("one"))
    const push = await cloned(goal, claimed, "unchanged")
    expect((await push(claimed.git.ref)).output).toMatch(/Taken: 0 files differ/)
    expect((await published(claimed)).changeset).toBeNull()
  })
})
