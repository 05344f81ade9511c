/** The tools of a person's assistant. None approves, promotes, rolls back, or changes Policy, members or tokens. */
import { getChange, listChanges, openChange } from "./tools/ChangeTools.ts"
import { readCode, readDiff } from "./tools/CodeTools.ts"
import { readEvidence, why } from "./tools/EvidenceTools.ts"
import { appLogs, listGenerations } from "./tools/LiveTools.ts"
import { getProject, listProjects } from "./tools/ProjectTools.ts"
import { requestCandidate, requestReview, submitFiles, wait } from "./tools/WorkTools.ts"
import type { Tool } from "./Tool.ts"

/** All of them, in the order in which they are told. */
export const tools: ReadonlyArray<Tool> = [
  listProjects,
  getProject,
  listChanges,
  getChange,
  readCode,
  readDiff,
  readEvidence,
  why,
  listGenerations,
  appLogs,
  wait,
  openChange,
  submitFiles,
  requestCandidate,
  requestReview
]
