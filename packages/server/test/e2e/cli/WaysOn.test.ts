import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import { type UserCommand, userCommand } from "../kit/UserCommand.ts"

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

const run = (project: string, args: ReadonlyArray<string>) =>
  user.run(args, { environment: { PAWL_URL: server.origin, PAWL_TOKEN: token, PAWL_PROJECT: project } })

/** The document of a verb that must end with a code. */
const document = async (project: string, args: ReadonlyArray<string>, code: number) => {
  const ended = await run(project, args.includes("--json") ? args : [...args, "--json"])
  expect({ args, ...ended }).toMatchObject({ code })
  return JSON.parse(ended.stdout)
}

/** The commands that a document leads to. */
const ways = ({ next }: { readonly next: ReadonlyArray<{ readonly command: string }> }) =>
  next.map(({ command }) => command)

/** A verified Candidate of an edit. */
const verified = async (projectId: string, name: string) => {
  const change = await Flow.openChange(server.api, projectId, name)
  await Flow.edit(server.api, change, { [`${name}.txt`]: "an edit\n" })
  return Flow.gated(server.api, (await Flow.requestCandidate(server.api, change)).id)
}

describe("After the Policy changed", () => {
  it("promote and why lead to the same Candidate asked for again, which goes live", async () => {
    const { id } = await Flow.createProject(server.api, "another-policy", { "public/index.html": "<h1>one</h1>\n" })
    await server.api.put(`/v1/projects/${id}/policy`, { approvalRiskTiers: [] })
    const { changeId } = await verified(id, "planned-before")
    await server.api.put(`/v1/projects/${id}/policy`, { approvalRiskTiers: ["high"] })
    const cure = `pawl candidate create ${changeId}`
    const refused = await document(id, ["promote", changeId, "--yes"], 1)
    expect(refused).toMatchObject({ code: "blocked", blocks: [{ code: "policy_version_mismatch" }] })
    expect(ways(refused)).toEqual([cure, `pawl why ${changeId}`])
    const why = await document(id, ["why", changeId], 0)
    expect([why.todo.includes(cure), ways(why)]).toEqual([true, [cure]])
    const { stdout } = await run(id, ["why", changeId])
    expect([stdout.includes(cure), stdout.includes("/v1/")]).toEqual([true, false])
    const { candidate } = await document(id, cure.split(" ").slice(1), 0)
    expect(ways(await document(id, ["why", changeId], 0))).toEqual([`pawl promote ${candidate.id}`])
    expect((await run(id, ["why", changeId])).stdout).toContain(`Next: Promote it: pawl promote ${candidate.id}.`)
    expect((await run(id, ["promote", candidate.id, "--yes"])).code).toBe(0)
  })
})

describe("What is refused", () => {
  it.each([
    [["statsu", "chg_1"], "pawl status chg_1 --json"],
    [["project", "craete", "it's"], "pawl project create 'it'\\''s' --json"],
    [["project", "list", "--lmit=3"], "pawl project list --limit=3 --json"],
    [["nonsense"], "pawl --help"],
    [["promote"], "pawl promote --help"],
    [["logs", "--limit", "none"], "pawl logs --help"]
  ])("leads from what cannot be used to what can: %s", async (args, command) => {
    expect(ways(await document("proj_1", args, 2))).toEqual([command])
  })

  it("leads from what there is not to what there is, and on from where somebody would be asked", async () => {
    const { id } = await Flow.createProject(server.api, "ways-on", { "public/index.html": "<h1>one</h1>\n" })
    await server.api.put(`/v1/projects/${id}/policy`, { approvalRiskTiers: [] })
    const unknown = await document(id, ["change", "view", "chg_00000000-0000-4000-8000-000000000000"], 1)
    expect([unknown.code, ways(unknown)]).toEqual(["unknown_change", ["pawl change list"]])
    const { changeId, id: candidateId, tree } = await verified(id, "asked")
    const owed = await document(id, ["approve", changeId, "--yes"], 1)
    expect([owed.code, ways(owed)]).toEqual(["not_required", [`pawl promote ${candidateId}`]])
    const asked = await document(id, ["promote", changeId], 2)
    const again = `pawl promote ${changeId} --json --tree ${tree?.slice(0, 7)}`
    expect([asked.code, ways(asked)]).toEqual(["usage", [again]])
    await document(id, again.split(" ").slice(1), 0)
    const far = await document(id, ["rollback", "--to", "S7"], 1)
    expect(far.code).toBe("unknown_generation")
    const [versions = ""] = ways(far)
    expect((await document(id, versions.split(" ").slice(1), 0)).items.length).toBe(2)
    const back = await document(id, ["rollback", "--to", "S0"], 2)
    expect(ways(back)).toEqual(["pawl rollback --to S0 --json --yes"])
  })
})

describe("One Task and the next one at once", () => {
  it.each(["--next", "--once"])("is no command line: %s", async (option) => {
    const ended = await run("proj_1", ["work", "--task", "tsk_1", option, "--agent", "true"])
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(`leave ${option} away`)])
  })
})
