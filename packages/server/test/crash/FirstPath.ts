/**
 * The first path of a Change, from its ChangeSet to a live release, as a story for crashes: what is there before it, how a
 * client drives it, and what must be so in the end wherever the server was killed.
 */
import { join } from "node:path"
import type { Event } from "@pawl/core/model/Event"
import type { Release } from "@pawl/core/model/Release"
import type { Promoted } from "@pawl/core/promotion/Promotions"
import { expect } from "vitest"
import * as Flow from "../e2e/kit/Flow.ts"
import { signedStatements } from "../e2e/kit/Statements.ts"
import { type ServerProcess, startServer } from "../e2e/kit/ServerProcess.ts"
import { newFolder, type Story } from "./Crashing.ts"
import type { CandidateJson, ChangeJson } from "@pawl/server/api/RecordSchemas"

export interface Prepared {
  readonly folder: string
  readonly projectId: string
  readonly change: ChangeJson
}

/** A live Project with a Change that has its ChangeSet: what comes next is compose, verify, promote and release. */
const prepare = async (): Promise<Prepared> => {
  const folder = join(newFolder(), "data")
  const server = await startServer({ data: folder })
  const project = await Flow.createProject(server.api, "crash")
  await Flow.liveApp(server.api, project.id, 0)
  const change = await Flow.openChange(server.api, project.id, "crash")
  await Flow.edit(server.api, change, { "src/index.js": Flow.source("two")["src/index.js"], "public/new.txt": "new" })
  expect(await server.stop()).toBe(0)
  return { folder, projectId: project.id, change }
}

export interface Client {
  candidateId?: string
  candidate?: CandidateJson
  promoted?: Promoted
  release?: Release
}

type Stage = Story<Prepared, Client>["stages"][number]

const verify: Stage = async (server, prepared, client) => {
  client.candidateId ??= (await Flow.requestCandidate(server.api, prepared.change)).id
  client.candidate = await Flow.gated(server.api, client.candidateId)
  expect(client.candidate).toMatchObject({ status: expect.stringMatching(/verified|promoted/), reason: null })
}

const release: Stage = async (server, prepared, client) => {
  client.promoted = await Flow.promote(server.api, client.candidateId ?? "")
  client.release = await Flow.released(server.api, prepared.projectId, 1)
}

/** As if nothing had happened: one generation, one row of evidence for each check, a dense and truthful story. */
const judge: Story<Prepared, Client>["judge"] = async (server, prepared, { candidate, promoted, release }, places) => {
  expect(promoted).toMatchObject({ generation: 1, tree: candidate?.tree, sourceSynced: true })
  expect(release).toMatchObject({ status: "deployed", generation: 1 })
  const checks = (await Flow.evidence(server.api, candidate?.id ?? "")).map((row) => `${row.checkId} ${row.result}`)
  expect(checks.toSorted()).toEqual(["build pass", "test pass"])
  const { items } = await server.api.get<{ items: ReadonlyArray<Event> }>(
    `/v1/projects/${prepared.projectId}/events?limit=100`
  )
  expect(items.map((event) => event.sequence)).toEqual(items.map((_, index) => index + 1))
  const once = [
    "candidate.composed",
    "candidate.verified",
    "canonical.promotion.requested",
    "canonical.advanced",
    "build.started",
    "build.completed",
    "deployment.completed",
    "change.completed"
  ]
  for (const type of once) expect(`${type} ${items.filter((event) => event.type === type).length}`).toBe(`${type} 1`)
  const app = await Flow.liveApp(server.api, prepared.projectId, 1)
  expect((await server.api.page(app.url)).text).toBe("two")
  expect((await server.api.page(`${app.url}new.txt`)).text).toBe("new")
  expect(ranAgain(places.before, places.after())).toEqual([])
  expect(await stated(server, prepared.projectId)).toEqual([
    "policy",
    "promotion 0",
    "release 0 of incarnation 1",
    ...firstStated
  ])
}

/** What is stated of the first release, once: whoever dies between a statement and what it tells goes on with that one. */
const firstStated = ["promotion 1", "release 1 of incarnation 1", "outcome 1"]

const stated = async (server: ServerProcess, projectId: string): Promise<ReadonlyArray<string>> => {
  const said = await Flow.until(
    () => signedStatements(server, projectId),
    (all) => all.at(-1)?.kind === "outcome"
  )
  return said.map(({ kind, predicate: { generation, incarnation } }) =>
    [
      kind,
      ...(generation === undefined ? [] : [JSON.stringify(generation)]),
      ...(incarnation === undefined ? [] : [`of incarnation ${JSON.stringify(incarnation)}`])
    ].join(" ")
  )
}

/** The steps whose evidence was stored before the crash, and what would run them again. */
const ranAgain = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<string> => {
  const finished = (check: string) =>
    before.some(
      (place) =>
        place.startsWith("Ledger.commit(Verification.evidence") &&
        place.includes(`check:${check}@`) &&
        place.endsWith(":after")
    )
  return [
    ...(finished("build") && after.includes("AppBuilder.start:before") ? ["build"] : []),
    ...(finished("test") && after.includes("Sandbox.start:before") ? ["test"] : [])
  ]
}

/** Its first stage composes and verifies, its second promotes and releases. */
export const firstPath = async (): Promise<Story<Prepared, Client>> => ({
  prepared: await prepare(),
  newClient: () => ({}),
  stages: [verify, release],
  judge
})
