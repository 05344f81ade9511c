/** What there is to do about who stands in the lane, met over HTTP and by `pawl why`. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { routes } from "../../../src/node/commands/user/Routes.ts"
import type { UserClient } from "../../../src/node/commands/user/UserClient.ts"
import type { Session } from "../../../src/node/commands/user/Verb.ts"
import { status as pawlStatus } from "../../../src/node/commands/user/Status.ts"
import { why as pawlWhy } from "../../../src/node/commands/user/Why.ts"
import { type Api, newProject, startApi } from "../TestApi.ts"

describe("What there is to do in the lane", () => {
  let api: Api
  let projectId: string
  /** In the order of the line: ready, failed on a prediction, owing an approval, and not to be merged with the first. */
  const changes: Array<string> = []
  const ask = async (method: string, path: string, body?: unknown) =>
    (await api.call(method, path, body === undefined ? {} : { body })).body

  /** A verb's client, over the very same API. */
  const client = {
    ask: (name: keyof typeof routes, { id = "" }: { readonly id?: string }) => {
      const [method, path] = routes[name]
      return ask(method, path.replace(":id", id))
    }
  } as unknown as UserClient

  const candidateOf = async (at: number): Promise<string> => {
    const { entries } = await ask("GET", `/v1/projects/${projectId}/lane`)
    return entries[at].candidateId
  }
  const nextOf = async (at: number): Promise<string> =>
    (await ask("GET", `/v1/candidates/${await candidateOf(at)}/why`)).next
  const said = async (at: number) =>
    pawlWhy({ client: () => client, given: [await candidateOf(at)] } as unknown as Session)

  beforeAll(async () => {
    api = await startApi()
    projectId = (await newProject(api, "in-turn")).id
    const freezes = [{ from: "2020-01-01T00:00:00.000Z", until: "2999-01-01T00:00:00.000Z", reason: "the fair" }]
    const lane = { mode: "on", depth: 8 }
    await ask("PUT", `/v1/projects/${projectId}/policy`, { lane, freezes, approvalRiskTiers: ["high"] })
    const edits = [{ "a.txt": "a" }, { "result.txt": "broken" }, { "migrations/1.sql": "x" }, { "a.txt": "b" }]
    for (const [n, files] of edits.entries()) {
      const opened = { clientRequestId: `change-${n}`, goal: `goal ${n}`, budget_usd: 1 }
      const { change } = await ask("POST", `/v1/projects/${projectId}/changes`, opened)
      await ask("POST", `/v1/changes/${change.id}/changesets`, { message: "edit", files })
      await ask("POST", `/v1/changes/${change.id}/land`)
      changes.push(change.id)
    }
    await api.settle()
  })
  afterAll(() => api.close())

  it("is said in words: to wait for a freeze, for one ahead, or for a conflict with it, and to decide where that is owed", async () => {
    expect(await nextOf(0)).toBe(
      "Wait: nothing is promoted until 2999-01-01T00:00:00.000Z (the fair). Then it lands by itself when it stands first in the lane."
    )
    expect(await nextOf(1)).toBe(
      `Wait: it failed on a prediction, and that counts only when it stands first on canonical. ${changes[0]} is decided before it.`
    )
    expect(await nextOf(2)).toBe(`Decide on it: POST /v1/changes/${changes[2]}/approve.`)
    expect(await nextOf(3)).toMatch(
      new RegExp(`^Wait: it does not merge with ${changes[0]}, which stands before it in the lane \\(a\\.txt\\)`)
    )
  })

  it("leads nobody who asks by the command line to push or promote what the lane decides on", async () => {
    for (const at of [0, 1, 3]) expect((await said(at)).next).toEqual([])
    expect((await said(1)).text).toContain("Next: Wait: it failed on a prediction")
    expect((await said(2)).next).toEqual([{ command: `pawl approve ${changes[2]}`, when: "you may approve" }])
  })

  it("is to have it go on while it is paused, and no more once it does", async () => {
    await ask("POST", `/v1/projects/${projectId}/lane/pause`, { reason: "we look" })
    expect(await nextOf(0)).toBe(
      `The lane is paused (we look), and it lands when its turn comes after that. Who may promote has it go on: POST /v1/projects/${projectId}/lane/resume.`
    )
    await ask("POST", `/v1/projects/${projectId}/lane/resume`)
    expect(await nextOf(0)).toMatch(/^Wait: nothing is promoted until/)
  })

  it("says of a Candidate and its preview whose unlanded work they hold too, and nothing of one on canonical", async () => {
    const [first, owing] = [await candidateOf(0), await candidateOf(2)]
    const on = [changes[0]]
    expect((await ask("GET", `/v1/candidates/${owing}`)).candidate.on).toEqual(on)
    expect((await ask("GET", `/v1/changes/${changes[2]}/candidates`)).items).toMatchObject([{ id: owing, on }])
    expect((await ask("GET", `/v1/candidates/${owing}/preview`)).preview.on).toEqual(on)
    expect((await ask("GET", `/v1/candidates/${first}`)).candidate).not.toHaveProperty("on")
    expect((await ask("GET", `/v1/candidates/${first}/preview`)).preview).not.toHaveProperty("on")
    const { previews } = (await ask("GET", `/v1/projects/${projectId}/app`)).app
    const shown = new Map(previews.map((each: { candidateId: string; on?: unknown }) => [each.candidateId, each.on]))
    expect([shown.get(first), shown.get(owing)]).toEqual([undefined, on])
  })

  it("has pawl status say so, and lead nobody to promote what does not stand on canonical", async () => {
    const status = async (at: number) =>
      pawlStatus({
        client: () => client,
        given: [changes[at]],
        has: () => false,
        value: () => undefined
      } as unknown as Session)
    const words = `It and its preview hold unlanded work of ${changes[0]} too`
    const [first, owing] = [await status(0), await status(2)]
    expect(owing.text).toContain(words)
    expect(owing.next?.map(({ command }) => command)).toEqual([
      `pawl approve ${changes[2]}`,
      `pawl why ${await candidateOf(2)}`
    ])
    expect(first.text).not.toContain("unlanded")
  })

  it("names for whom each earlier prediction fell", async () => {
    await ask("POST", `/v1/changes/${changes[0]}/cancel`)
    await api.settle()
    const { entries } = await ask("GET", `/v1/projects/${projectId}/lane`)
    const at = entries.findIndex(({ changeId }: { changeId: string }) => changeId === changes[3])
    const { why } = await ask("GET", `/v1/lane-entries/${entries[at].id}`)
    const fell = { code: "conflict", changeId: changes[0], title: "goal 0", reason: "could not be merged with it" }
    expect(why.predictions).toMatchObject([{ generation: 2, fell }])
    expect((await said(at)).text).toContain(` (${changes[0]} «goal 0» could not be merged with it)`)
  })
})
