/**
 * What comes after a first promotion, killed at every place that the first path does not pass: recomposition of a
 * loser, auto-promotion, a rollback, and the archive with its cleanup.
 */
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Generation } from "@pawl/core/model/Generation"
import * as Flow from "../e2e/kit/Flow.ts"
import { type ServerProcess, startServer } from "../e2e/kit/ServerProcess.ts"
import { slice } from "@pawl/testing/Depth"
import {
  crashAtEach,
  newFolder,
  type Place,
  placesOf,
  record,
  type Recording,
  removeFolders,
  type Story
} from "./Crashing.ts"
import type { CandidateJson, ChangeJson, ProjectJson } from "@pawl/server/api/RecordSchemas"

interface Prepared {
  readonly folder: string
  readonly projectId: string
  readonly url: string
  readonly racers: ReadonlyArray<ChangeJson>
}

/** A live Project whose Policy lets light Changes promote themselves, and two such Changes with their ChangeSets. */
const prepare = async (): Promise<Prepared> => {
  const folder = join(newFolder(), "data")
  const server = await startServer({ data: folder })
  const project = await Flow.createProject(server.api, "later")
  const app = await Flow.liveApp(server.api, project.id, 0)
  await server.api.put(`/v1/projects/${project.id}/policy`, { autoPromoteRiskTiers: ["low"] })
  const racers: Array<ChangeJson> = []
  for (const name of ["left", "right"]) {
    const change = await Flow.openChange(server.api, project.id, name)
    await Flow.edit(server.api, change, { [`public/${name}.txt`]: name })
    racers.push(change)
  }
  expect(await server.stop()).toBe(0)
  return { folder, projectId: project.id, url: app.url, racers }
}

interface Client {
  asked?: true
  back?: { readonly change: ChangeJson; readonly candidate: CandidateJson }
}

type Stage = Story<Prepared, Client>["stages"][number]

const ended = (server: ServerProcess, change: ChangeJson) =>
  Flow.until(
    () => server.api.get<{ change: ChangeJson }>(`/v1/changes/${change.id}`),
    (answer) => ["completed", "failed", "cancelled"].includes(answer.change.status)
  ).then((answer) => answer.change)

const race: Stage = async (server, prepared, client) => {
  if (client.asked !== true)
    await Promise.all(
      prepared.racers.map(async (change) => {
        // The Change may have ended before the crash: then there is nothing to ask for any more.
        const { change: now } = await server.api.get<{ change: ChangeJson }>(`/v1/changes/${change.id}`)
        if (now.status === "created" || now.status === "verifying") await Flow.requestCandidate(server.api, change)
      })
    )
  client.asked = true
  for (const racer of prepared.racers) expect((await ended(server, racer)).status).toBe("completed")
}

const goBack: Stage = async (server, prepared, client) => {
  client.back ??= await server.api.post<NonNullable<Client["back"]>>(`/v1/projects/${prepared.projectId}/rollback`, {
    targetGeneration: 1,
    expectedGeneration: 2
  })
  await Flow.gated(server.api, client.back.candidate.id)
}

const promoteBack: Stage = async (server, prepared, { back }) => {
  if (back === undefined) throw new Error("nothing went back")
  await Flow.promote(server.api, back.candidate.id)
  expect((await ended(server, back.change)).status).toBe("completed")
  const generations = await server.api.get<{ items: ReadonlyArray<Generation> }>(
    `/v1/projects/${prepared.projectId}/versions`
  )
  const trees = new Map(generations.items.map(({ generation, tree }) => [generation, tree]))
  expect(new Set(trees.keys())).toEqual(new Set([0, 1, 2, 3]))
  expect(trees.get(3)).toBe(trees.get(1))
  const texts = await Promise.all(["left", "right"].map((name) => server.api.page(`${prepared.url}${name}.txt`)))
  // S1 holds what the first racer brought and not what the second did; the app itself answers everything else.
  expect(texts.filter((page, n) => page.text === ["left", "right"][n])).toHaveLength(1)
}

const archive: Stage = async (server, prepared) => {
  await server.api.delete(`/v1/projects/${prepared.projectId}`)
  await Flow.until(
    () => server.api.get<{ project: ProjectJson }>(`/v1/projects/${prepared.projectId}`),
    ({ project }) => project.cleaned_at !== null
  )
}

const judge: Story<Prepared, Client>["judge"] = async (server, prepared) => {
  const { project } = await server.api.get<{ project: ProjectJson }>(`/v1/projects/${prepared.projectId}`)
  expect(project.status).toBe("archived")
  expect((await server.api.page(prepared.url)).status).toBe(410)
  const { items } = await server.api.get<{ items: ReadonlyArray<unknown> }>(
    `/v1/projects/${prepared.projectId}/dead-letters`
  )
  expect(items).toEqual([])
}

describe("Killed at any place of what comes later, and started again", () => {
  let recording: Recording<Prepared, Client>
  let places: ReadonlyArray<Place>

  beforeAll(async () => {
    const stages = [race, goBack, promoteBack, archive]
    recording = await record({ prepared: await prepare(), newClient: () => ({}), stages, judge })
    // Which of the racers loses, and when, differs from run to run; these places are passed in each.
    const own = /AppData|Staleness|Recomposition|Rollbacks|commitTree|Archiv|Cleanup|remove|Removal|cleanup/
    places = placesOf(recording).filter(({ name }) => own.test(name))
  })
  afterAll(removeFolders)

  it("records places in each of recomposition, rollback and cleanup", () => {
    const names = places.map(({ name, stage }) => `${stage} ${name}`).join("\n")
    console.log(`${places.length} crash points:\n${names}`)
    for (const name of ["Staleness.mark", "Recomposition.recompose", "Rollbacks", "commitTree", "Cleanup"])
      expect(names).toContain(name)
  })

  it("ends the work as if nothing had happened, at every place", async () => {
    expect(await crashAtEach(recording, slice(places, { quick: 1 }))).toEqual([])
  }, 900_000)
})
