/** Six Changes race in a lane, one of them bad. */
import type { Policy } from "@pawl/core/model/Policy"
import type { CandidateJson } from "../../../api/RecordSchemas.ts"
import {
  askFor,
  type Demo,
  endOf,
  need,
  openChange,
  proof,
  type Shop,
  sourceFile,
  until,
  verification
} from "../Steps.ts"
import * as Story from "../Story.ts"

/** An entry of the lane, as far as the demo looks at it. */
interface Entry {
  readonly changeId: string
  readonly candidateId?: string
  readonly state: string
  readonly reason: string | null
  readonly outcome?: { readonly code: string; readonly generation?: number }
}

interface Racer extends Story.InTurn {
  readonly changeId: string
}

const setPolicy = async ({ api }: Demo, shop: Shop, mode: "on" | "off"): Promise<Policy> => {
  const fields = { autoPromoteRiskTiers: ["low"], approvalRiskTiers: ["high"], lane: { mode } }
  return (await api.put<{ policy: Policy }>(`/v1/projects/${shop.projectId}/policy`, fields)).policy
}

/** Six Changes whose Candidates are asked for one right after the other, in this order. */
const sixAtOnce = async (demo: Demo, shop: Shop): Promise<ReadonlyArray<Racer>> => {
  const html = await sourceFile(demo, shop.projectId, "src/html.ts")
  const racers = []
  for (const each of Story.sixInTurn(html)) {
    const change = await openChange(demo, shop.projectId, each.name, each.goal, each.files)
    racers.push({ each, change })
  }
  for (const { change } of racers) await askFor(demo, change)
  return racers.map(({ change, each }) => ({ ...each, changeId: change.id }))
}

/** How each of them ended, in their order. */
const endsOf = async ({ api }: Demo, shop: Shop, racers: ReadonlyArray<Racer>) => {
  const { ended } = await until(
    () =>
      api.get<{ entries: ReadonlyArray<Entry>; ended: ReadonlyArray<Entry> }>(`/v1/projects/${shop.projectId}/lane`),
    ({ ended: over }) => racers.every(({ changeId }) => over.some((entry) => entry.changeId === changeId)),
    "the lane"
  )
  return racers.map((racer) => ({ racer, entry: ended.find(({ changeId }) => changeId === racer.changeId)! }))
}

/** How many Candidates of them were checked. */
const checkedOf = async ({ api }: Demo, racers: ReadonlyArray<Racer>): Promise<number> => {
  const lists = await Promise.all(
    racers.map(({ changeId }) => api.get<{ items: ReadonlyArray<CandidateJson> }>(`/v1/changes/${changeId}/candidates`))
  )
  return lists.flatMap(({ items }) => items).filter(({ plan_json: plan }) => plan !== null).length
}

/** Act 5: five land in turn, each checked on what it lands on; the bad one alone is out, and told why. */
export const lane = async (demo: Demo, shop: Shop) => {
  const { api, timeline } = demo
  timeline.title("5. Six Changes race in a lane, one of them bad")
  await timeline.step(
    "the Policy turns the lane on: each is checked on what will be live when those ahead of it land",
    () => setPolicy(demo, shop, "on"),
    ({ lane: policy, version }) => [`Policy ${version}: lane ${policy?.mode}`]
  )
  const racers = await timeline.step(
    "six Changes are ready at once",
    () => sixAtOnce(demo, shop),
    (all) => all.map(({ changeId, goal }) => `${changeId}: ${goal}`)
  )
  const ends = await timeline.step(
    "five land one after the other, and nobody asks twice",
    async () => {
      const all = await endsOf(demo, shop, racers)
      const codes = all.map(({ entry }) => entry.outcome?.code)
      need(
        codes.join() === "landed,landed,checks_failed,landed,landed,landed",
        all.map(({ entry, racer }) => `${racer.goal}: ${entry.state}, ${entry.reason}`).join("\n")
      )
      return { all, checked: await checkedOf(demo, racers) }
    },
    ({ all, checked }) => [
      ...all.flatMap(({ entry: { outcome }, racer }) =>
        outcome?.generation === undefined ? [] : [`S${outcome.generation}: ${racer.goal}`]
      ),
      `${checked} verifications for six: those behind the bad one were made anew without it`
    ]
  )
  await timeline.step(
    "the bad one is out, and told why",
    async () => {
      const { entry } = ends.all[2]!
      const { evidence } = await verification(demo, entry.candidateId ?? "")
      need(entry.reason !== null && evidence.some(({ result }) => result === "fail"), "nobody says why")
      return { entry, evidence }
    },
    ({ entry, evidence }) => [`${entry.state}, ${entry.outcome?.code}: ${entry.reason}`, ...proof(evidence)]
  )
  await timeline.step(
    "all five are live, and the lane is off again",
    async () => {
      const landed = ends.all.filter(({ entry }) => entry.state === "landed").map(({ racer }) => racer)
      // A Change also ends when its release is superseded: its page is live with a later one's, so all end first.
      for (const { changeId, goal } of landed) {
        const { reason, status } = await endOf(demo, changeId)
        need(status === "completed", `${goal} is ${status}: ${reason}`)
      }
      for (const racer of landed) {
        const page = await api.page(`${shop.url}notes/${racer.name}.txt`)
        need(page.status === 200, `${racer.name} answered ${page.status}`)
      }
      return setPolicy(demo, shop, "off")
    },
    () => [`${shop.url}notes/thanks.txt`]
  )
}
