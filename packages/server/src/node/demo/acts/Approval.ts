/** A Change of high risk waits for a person. */
import type { Approval } from "@pawl/core/model/Approval"
import {
  type Demo,
  mustBeVerified,
  need,
  openChange,
  promote,
  proof,
  released,
  type Shop,
  sourceFile,
  verify
} from "../Steps.ts"
import * as Story from "../Story.ts"
import type { ChangeJson } from "../../../api/RecordSchemas.ts"

/** Act 6: promotion is refused until somebody approves. */
export const approval = async (demo: Demo, shop: Shop) => {
  const { api, timeline } = demo
  timeline.title("6. A Change of high risk waits for a person")
  const pawlFile = await sourceFile(demo, shop.projectId, "pawl.json")
  const verified = await timeline.step(
    "an edit of pawl.json is verified, and its Change awaits approval",
    async () => {
      const change = await openChange(
        demo,
        shop.projectId,
        "probe",
        "Probe the opening hours",
        Story.probeHours(pawlFile)
      )
      const result = await verify(demo, change)
      mustBeVerified(result)
      const after = await api.get<{ change: ChangeJson }>(`/v1/changes/${change.id}`)
      need(after.change.status === "awaiting_approval", `the Change is ${after.change.status}`)
      return result
    },
    ({ candidate, evidence }) => [
      `risk: ${candidate.plan_json?.riskTier}, so the Policy asks for a person`,
      ...proof(evidence)
    ]
  )
  await timeline.step(
    "until then it cannot be promoted",
    async () => {
      const { problem, status } = await api.refused(`/v1/candidates/${verified.candidate.id}/promote`)
      need(status === 409 && problem.code === "blocked", `answered ${status} ${problem.code}`)
      return problem
    },
    (problem) => [`409 ${problem.code}: ${problem.detail}`]
  )
  await timeline.step(
    "the approval is bound to the exact tree that was verified",
    async () => {
      const { approval: given } = await api.post<{ approval: Approval }>(
        `/v1/changes/${verified.candidate.changeId}/approve`,
        { candidateId: verified.candidate.id, decision: "granted" }
      )
      need(given.tree === verified.candidate.tree, "the approval is for another tree")
      return given
    },
    (given) => [`${given.decision} by ${given.approver} for tree ${given.tree}`]
  )
  await timeline.step(
    "now it goes live, and its own new probe is asked",
    async () => {
      const promoted = await promote(demo, verified.candidate)
      const release = await released(demo, shop.projectId, promoted.releaseId!)
      need(release.status === "deployed", `the release is ${release.status}: ${release.reason}`)
      need(
        release.probes.some((probe) => probe.path === "/hours"),
        "the new probe was not asked"
      )
      return release
    },
    (release) => [
      `S${release.generation}`,
      ...release.probes.map((probe) => `${probe.path}: ${probe.detail}, expected ${probe.expected}`)
    ]
  )
}
