/** The shop's edit on a real server, over HTTP, from the Candidate's request to the live page. */
import { setTimeout as pause } from "node:timers/promises"
import type { Promoted } from "@pawl/core/promotion/Promotions"
import type { DemoApi } from "@pawl/server/node/demo/DemoApi"
import * as Flow from "../../packages/server/test/e2e/kit/Flow.ts"
import type { Shop } from "./Shop.ts"
import type { CandidateJson } from "@pawl/server/api/RecordSchemas"

const everyMs = 5
/** Between the edit and the Candidate, so that what the server does in the background is not measured. */
const settleMs = 500

export const stageNames = ["verified", "promoted", "live"] as const
/** Milliseconds that each stage took. */
export type Stages = Readonly<Record<(typeof stageNames)[number], number>>

/** Asks often until the answer fits; the bound is for a broken server. */
const until = async <A>(read: () => Promise<A>, done: (value: A) => boolean): Promise<A> => {
  const deadline = performance.now() + 60_000
  for (;;) {
    const value = await read()
    if (done(value)) return value
    if (performance.now() > deadline) throw new Error(`it never came: ${JSON.stringify(value)}`)
    await pause(everyMs)
  }
}

export const takeLive = async (api: DemoApi, shop: Shop, slug: string): Promise<Stages> => {
  const { project } = await api.post<{ project: { id: string } }>("/v1/projects", { slug, template: "shop" })
  const { url } = await Flow.liveApp(api, project.id, 0)
  const change = await Flow.openChange(api, project.id, "hours")
  await Flow.edit(api, change, shop.edit)
  await pause(settleMs)

  const began = performance.now()
  const { id } = await Flow.requestCandidate(api, change)
  const { candidate } = await until(
    () => api.get<{ candidate: CandidateJson }>(`/v1/candidates/${id}`),
    (answer) => !["composing", "verifying"].includes(answer.candidate.status)
  )
  const verified = performance.now()
  if (candidate.status !== "verified") throw new Error(`the Candidate is ${candidate.status}: ${candidate.reason}`)
  await api.post<Promoted>(`/v1/candidates/${id}/promote`)
  const promoted = performance.now()
  await until(
    () => api.page(`${url}hours`),
    (page) => page.status === 200 && page.text.includes("Opening hours")
  )
  const live = performance.now()
  // The release goes on after the page is live; the next side starts when it is done.
  await Flow.released(api, project.id, 1)
  return { verified: verified - began, promoted: promoted - verified, live: live - promoted }
}
