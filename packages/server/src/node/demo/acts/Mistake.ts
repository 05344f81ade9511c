/** A Change whose test fails stays out. */
import type { Page } from "../DemoApi.ts"
import { type Demo, need, openChange, proof, type Shop, sourceFile, verify } from "../Steps.ts"
import * as Story from "../Story.ts"

/** Act 3: neither canonical nor the live app moves. */
export const mistake = async (demo: Demo, shop: Shop) => {
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
