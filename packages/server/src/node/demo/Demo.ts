/** The main job on real input, step by step. Every step checks that it did what it says. */
import type { Change } from "@pawl/core/change/Change"
import type { Candidate } from "@pawl/core/candidate/Candidate"
import type { ChangeSet } from "@pawl/core/changeset/ChangeSet"
import type { Evidence } from "@pawl/core/evidence/Evidence"
import type { Event } from "@pawl/core/event/Event"
import type { Release } from "@pawl/core/release/Release"
import type { Promoted } from "@pawl/core/promotion/Promotions"
import { type DemoApi, type Page, Unexpected } from "./DemoApi.ts"
import * as Story from "./Story.ts"
import type { Timeline } from "./Timeline.ts"

interface App {
  readonly status: string
  readonly url: string
  readonly generation: number | null
}

interface Verified {
  readonly candidate: Candidate
  readonly evidence: ReadonlyArray<Evidence>
}

export interface Demo {
  readonly api: DemoApi
  readonly timeline: Timeline
}

const need = (condition: boolean, problem: string): void => {
  if (!condition) throw new Unexpected(problem)
}

/** Asks again until an answer fits, as any client can. The bound is for a broken server. */
const until = async <A>(read: () => Promise<A>, done: (value: A) => boolean, what: string): Promise<A> => {
  const deadline = performance.now() + 120_000
  for (;;) {
    const value = await read()
    if (done(value)) return value
    if (performance.now() > deadline) throw new Unexpected(`${what} took more than 2 minutes`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

const proof = (evidence: ReadonlyArray<Evidence>): ReadonlyArray<string> =>
  evidence.map(
    (row) => `${row.checkId}: ${row.result} (${row.status}) in ${row.runner.isolation}: ${row.summary.split("\n")[0]}`
  )

const openChange = async (
  { api }: Demo,
  projectId: string,
  name: string,
  goal: string,
  files: Story.Files
): Promise<Change> => {
  const { change } = await api.post<{ change: Change }>(`/v1/projects/${projectId}/changes`, {
    clientRequestId: `demo-${name}`,
    goal,
    budget_usd: 1,
    startPlanning: false
  })
  await api.post<{ changeset: ChangeSet }>(`/v1/changes/${change.id}/changesets`, { message: goal, files })
  return change
}

const verify = async ({ api }: Demo, change: Change): Promise<Verified> => {
  const { candidate } = await api.post<{ candidate: Candidate }>(`/v1/changes/${change.id}/candidates`)
  const ended = await until(
    () => api.get<{ candidate: Candidate }>(`/v1/candidates/${candidate.id}`),
    (answer) => !["composing", "verifying"].includes(answer.candidate.status),
    "the verification"
  )
  const { items } = await api.get<{ items: ReadonlyArray<Evidence> }>(`/v1/candidates/${candidate.id}/evidence`)
  return { candidate: ended.candidate, evidence: items }
}

const promote = ({ api }: Demo, candidate: Candidate): Promise<Promoted> =>
  api.post<Promoted>(`/v1/candidates/${candidate.id}/promote`)

const released = async ({ api }: Demo, projectId: string, releaseId: string): Promise<Release> => {
  const found = await until(
    () => api.get<{ items: ReadonlyArray<Release> }>(`/v1/projects/${projectId}/releases`),
    ({ items }) =>
      items.some((release) => release.id === releaseId && !["queued", "building"].includes(release.status)),
    "the release"
  )
  return found.items.find((release) => release.id === releaseId)!
}

const sourceFile = async ({ api }: Demo, projectId: string, path: string): Promise<string> => {
  const { canonical } = await api.get<{ canonical: { tree: string } }>(`/v1/projects/${projectId}`)
  const file = await api.get<{ text: string }>(
    `/v1/projects/${projectId}/code?tree=${canonical.tree}&path=${encodeURIComponent(path)}`
  )
  return file.text
}

const createShop = async (demo: Demo) => {
  const { api, timeline } = demo
  timeline.title("1. A shop goes live")
  const project = await timeline.step("POST /v1/projects creates the Project from the template", async () => {
    const answer = await api.post<{ project: { id: string; slug: string } }>("/v1/projects", {
      slug: "shop",
      name: "The shop",
      template: "shop"
    })
    return answer.project
  })
  const app = await timeline.step(
    "S0 is built and served on its own host",
    async () => {
      const { app: live } = await until(
        () => api.get<{ app: App | null }>(`/v1/projects/${project.id}/app`),
        (answer) => answer.app !== null && answer.app.status !== "building",
        "the first build"
      )
      need(live?.status === "live", `the app is ${live?.status}`)
      const page = await api.page(live!.url)
      need(page.status === 200, `${live!.url} answered ${page.status}`)
      return live!
    },
    (live) => [live.url]
  )
  return { projectId: project.id, url: app.url }
}

const feature = async (demo: Demo, shop: { readonly projectId: string; readonly url: string }) => {
  const { api, timeline } = demo
  timeline.title("2. A person's edit is verified, promoted and released")
  const index = await sourceFile(demo, shop.projectId, "src/index.ts")
  const change = await timeline.step(
    "an edit of four files becomes a ChangeSet: code, a page, an asset and a test",
    () => openChange(demo, shop.projectId, "hours", "Show the opening hours", Story.openingHours(index))
  )
  const verified = await timeline.step(
    "the Candidate is composed and verified by executable checks",
    async () => {
      const result = await verify(demo, change)
      need(
        result.candidate.status === "verified",
        `the Candidate is ${result.candidate.status}: ${result.candidate.reason}\n${proof(result.evidence).join("\n")}`
      )
      return result
    },
    ({ candidate, evidence }) => [candidate.id, ...proof(evidence)]
  )
  const preview = await timeline.step(
    "its preview is open on a host of its own",
    async () => {
      const answer = await api.get<{ preview: { url: string } }>(`/v1/candidates/${verified.candidate.id}/preview`)
      need(
        (await api.page(`${answer.preview.url}hours`)).text.includes("Opening hours"),
        "the preview does not show the page"
      )
      need((await api.page(`${shop.url}hours`)).status === 404, "production shows the page before it is promoted")
      return answer.preview
    },
    ({ url }) => [`${url}hours`]
  )
  const promoted = await timeline.step(
    "promotion moves the canonical generation from S0 to S1",
    async () => {
      const answer = await promote(demo, verified.candidate)
      need(
        answer.outcome === "promoted" && answer.generation === 1 && answer.tree === verified.candidate.tree,
        `unexpected: ${JSON.stringify(answer)}`
      )
      return answer
    },
    ({ commit, tree }) => [`commit ${commit}, tree ${tree}: the verified one`]
  )
  await timeline.step(
    "the release moves the pointer and probes through the router",
    async () => {
      const release = await released(demo, shop.projectId, promoted.releaseId!)
      need(release.status === "deployed", `the release is ${release.status}: ${release.reason}`)
      return release
    },
    (release) => [
      `bundle: ${release.bundleSource}`,
      ...release.probes.map((probe) => `${probe.path}: ${probe.detail}, expected ${probe.expected}`)
    ]
  )
  await timeline.step(
    "the new page is live",
    async () => {
      const page = await api.page(`${shop.url}hours`)
      need(page.status === 200 && page.text.includes("Opening hours"), `${shop.url}hours answered ${page.status}`)
      need((await api.page(`${shop.url}hours.svg`)).text.includes("<svg"), "the asset is not served")
    },
    () => [`${shop.url}hours`]
  )
  return preview.url
}

const mistake = async (demo: Demo, shop: { readonly projectId: string; readonly url: string }) => {
  const { api, timeline } = demo
  timeline.title("3. A Change whose test fails stays out")
  const before: Page = await api.page(shop.url)
  const html = await sourceFile(demo, shop.projectId, "src/html.ts")
  const result = await timeline.step(
    "an edit that forgets to escape markup is rejected by the shop's own tests",
    async () => {
      const change = await openChange(
        demo,
        shop.projectId,
        "escaping",
        "Simplify the escaping of markup",
        Story.forgetEscaping(html)
      )
      const verified = await verify(demo, change)
      need(verified.candidate.status === "rejected", `the Candidate is ${verified.candidate.status}`)
      return verified
    },
    ({ candidate, evidence }) => [`${candidate.id}: ${candidate.reason}`, ...proof(evidence)]
  )
  await timeline.step(
    "its failing output is kept as Evidence",
    async () => {
      const failed = result.evidence.find((row) => row.result === "fail")
      need(failed !== undefined, "no check failed")
      const output = await api.text(`/v1/evidence/${failed!.id}/output`)
      need(output.includes("not ok") || output.includes("✖"), "the output does not show a failing test")
      return output
    },
    (output) =>
      output
        .split("\n")
        .filter((line) => /not ok|✖|AssertionError|expected|actual/.test(line))
        .slice(0, 6)
  )
  await timeline.step(
    "promoting it is refused with every block, and the live app is untouched",
    async () => {
      const { status, problem } = await api.refused(`/v1/candidates/${result.candidate.id}/promote`)
      need(status === 409 && problem.code === "blocked", `answered ${status} ${problem.code}`)
      const after = await api.page(shop.url)
      need(after.status === 200 && after.text === before.text, "the live app changed")
      return problem
    },
    (problem) => [`409 ${problem.code}: ${problem.detail}`]
  )
}

const race = async (demo: Demo, shop: { readonly projectId: string; readonly url: string }) => {
  const { api, timeline } = demo
  timeline.title("4. Two Changes race for one base")
  const style = await sourceFile(demo, shop.projectId, "public/style.css")
  const readme = await sourceFile(demo, shop.projectId, "README.md")
  const [first, second] = await timeline.step(
    "both are verified on S1",
    async () => {
      const one = await openChange(demo, shop.projectId, "colours", "Warmer colours", Story.warmerColours(style))
      const two = await openChange(
        demo,
        shop.projectId,
        "readme",
        "A friendlier readme",
        Story.friendlierReadme(readme)
      )
      const both = [await verify(demo, one), await verify(demo, two)] as const
      for (const { candidate } of both)
        need(candidate.status === "verified", `${candidate.id} is ${candidate.status}: ${candidate.reason}`)
      return both
    },
    (both) => both.map(({ candidate }) => `${candidate.id} on S${candidate.base_generation}`)
  )
  const winner = await timeline.step(
    "the first takes the generation",
    () => promote(demo, first.candidate),
    ({ generation }) => [`S${generation}`]
  )
  await timeline.step(
    "the second is stale, and says so",
    async () => {
      const { status, problem } = await api.refused(`/v1/candidates/${second.candidate.id}/promote`)
      need(status === 409 && problem.code === "stale", `answered ${status} ${problem.code}`)
      return problem
    },
    (problem) => [`409 ${problem.code}: ${problem.detail}`]
  )
  await timeline.step("the winner is live", async () => {
    const release = await released(demo, shop.projectId, winner.releaseId!)
    need(release.status === "deployed", `the release is ${release.status}: ${release.reason}`)
    need((await api.page(`${shop.url}style.css`)).text.includes("chocolate"), "the new style is not served")
  })
}

/** Runs the whole demo; rejects when any step did not do what it says. Answers the addresses to look at. */
export const run = async (demo: Demo): Promise<ReadonlyArray<string>> => {
  const shop = await createShop(demo)
  const preview = await feature(demo, shop)
  await mistake(demo, shop)
  await race(demo, shop)
  demo.timeline.title("What happened, as the Project's events tell it")
  const { items } = await demo.api.get<{ items: ReadonlyArray<Event> }>(
    `/v1/projects/${shop.projectId}/events?limit=100`
  )
  need(
    items.every((event, index) => event.sequence === index + 1),
    "the events are not dense"
  )
  for (const event of items)
    demo.timeline.say(
      `  ${String(event.sequence).padStart(3)}  ${event.time.slice(11, 23)}  ${event.type.padEnd(30)} ${event.actor.type === "user" ? "a person" : event.actor.id}`
    )
  return [`${shop.url}`, `${shop.url}hours`, `${preview}`]
}
