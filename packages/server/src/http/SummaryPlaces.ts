/** Where the API tells what a verification summary names. */
import type { SummaryPlacesOf } from "@pawl/core/provenance/Summary"

/** Of the summary of a generation. */
export const summaryPlaces =
  (projectId: string, generation: number): SummaryPlacesOf =>
  (origin, policyVersion) => ({
    policy: `${origin}/v1/projects/${projectId}/policy#${policyVersion}`,
    statement: `${origin}/v1/projects/${projectId}/versions/${generation}/statement`,
    repository: `${origin}/git/${projectId}.git`
  })
