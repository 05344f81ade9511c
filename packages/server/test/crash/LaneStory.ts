/**
 * Three Changes race in a lane, the first of them bad, as a story for crashes. Who finishes first differs from run to run,
 * so that a place is a write by its number.
 */
import { join } from "node:path"
import { rounds, seed, slice } from "@pawl/testing/Depth"
import type { Event } from "@pawl/core/model/Event"
import { expect } from "vitest"
import * as Flow from "../e2e/kit/Flow.ts"
import * as Lane from "../e2e/kit/LaneFacts.ts"
import { broken } from "../e2e/kit/LaneLaws.ts"
import { startServer } from "../e2e/kit/ServerProcess.ts"
import { newFolder, type Place, placesOf, type Recording, type Story } from "./Crashing.ts"

/** What is there before the race. */
export interface Prepared {
  readonly folder: string
  readonly projectId: string
  readonly racers: ReadonlyArray<Lane.Racer>
}

/** What was acknowledged: ids of Candidates, and of the entry of the one that was told to land. */
export interface Client {
  readonly candidates: Array<string>
  readonly entries: Array<string>
  readonly asked: Array<string>
}

const means = { slots: 4, builds: 60 }

/** A live Project whose lane is on, and three Changes with their ChangeSets. */
const prepare = async (environment: Readonly<Record<string, string>>): Promise<Prepared> => {
  const folder = join(newFolder(), "data")
  const server = await startServer({ data: folder, environment })
  const project = await Lane.laned(server.api, "lane")
  const racers = await Lane.racers(server.api, project.id, 3, [0])
  expect(await server.stop()).toBe(0)
  return { folder, projectId: project.id, racers }
}

type Stage = Story<Prepared, Client>["stages"][number]

/** The first two enter by themselves, the last is told to land. Who got no answer asks again, unless it stands there. */
const race: Stage = async ({ api }, { projectId, racers }, client) => {
  const last = racers.at(-1)
  for (const racer of racers) {
    const { id } = racer.change
    if (client.asked.includes(id)) continue
    const { ended, entries } = await Lane.lineOf(api, projectId)
    if (![...ended, ...entries].some(({ changeId }) => changeId === id)) {
      if (racer === last)
        client.entries.push((await api.post<{ entry: Lane.Entry }>(`/v1/changes/${id}/land`)).entry.id)
      else client.candidates.push((await Flow.requestCandidate(api, racer.change)).id)
    }
    client.asked.push(id)
  }
  await Lane.settled(api, projectId, racers)
}

/** As if nothing had happened: the bad one is out, the others are in, and all that was acknowledged is there. */
const judge: Story<Prepared, Client>["judge"] = async ({ api }, { projectId, racers }, client) => {
  const facts = await Lane.factsOf(api, projectId, racers)
  expect(Lane.endsOf(facts)).toEqual(["rejected checks_failed", "landed landed", "landed landed"])
  expect(facts.generations).toHaveLength(3)
  expect(broken(facts, means)).toEqual([])
  expect(facts.candidates.map(({ id }) => id)).toEqual(expect.arrayContaining(client.candidates))
  expect(facts.line.ended.map(({ id }) => id)).toEqual(expect.arrayContaining(client.entries))
  const rows = facts.evidence.map(({ checkId, subject }) => `${checkId} of ${subject.candidateId}`)
  expect(rows).toHaveLength(new Set(rows).size)
  const { items } = await api.get<{ items: ReadonlyArray<Event> }>(`/v1/projects/${projectId}/events?limit=100`)
  expect(items.map(({ sequence }) => sequence)).toEqual(items.map((_, index) => index + 1))
  const told = (type: string) => items.filter((event) => event.type === type).length
  expect([told("lane.entered"), told("lane.left"), told("canonical.advanced")]).toEqual([3, 3, 2])
  expect(await api.get(`/v1/projects/${projectId}/dead-letters`)).toMatchObject({ items: [] })
  const app = await Flow.liveApp(api, projectId, 2)
  expect((await api.page(app.url)).text).toBe("one")
  const { audit } = await api.post<{ audit: unknown }>(`/v1/projects/${projectId}/audit`)
  expect(audit).toMatchObject({ generations: 3, findings: [] })
}

/** Its only stage is the race. `environment` is what its server is prepared with. */
export const laneStory = async (
  environment: Readonly<Record<string, string>> = {}
): Promise<Story<Prepared, Client>> => ({
  prepared: await prepare(environment),
  newClient: (): Client => ({ candidates: [], entries: [], asked: [] }),
  numbered: true,
  stages: [race],
  judge
})

/** So many of its places, spread over all of them; with the next commit the next ones. */
export const someOf = (
  recording: Recording<Prepared, Client>,
  counts: { readonly quick: number; readonly deep: number; readonly long: number }
): ReadonlyArray<Place> => {
  const all = placesOf(recording)
  // A quick run takes a slice of what is picked here.
  const every = Math.max(1, Math.ceil(all.length / rounds({ ...counts, quick: 10 * counts.quick })))
  return slice(
    all.filter((_, index) => index % every === seed % every),
    { quick: counts.quick }
  )
}
