/** A goal on a running server, and what comes of it, one call at a time. */
import type { CandidateJson, ChangeJson } from "@pawl/server/api/RecordSchemas"
import type { DemoApi } from "../../../src/node/demo/DemoApi.ts"
import * as Flow from "./Flow.ts"

/** No answer, object or log may hold it. */
export const modelKey = "sk-scripted-0123456789-planted"

/** Opens a Change that is planned because a model is set up, not because it was asked for. */
export const openGoal = async (api: DemoApi, projectId: string, goal: string, budgetUsd = 5): Promise<ChangeJson> => {
  const body = { clientRequestId: goal, goal, budget_usd: budgetUsd }
  return (await api.post<{ change: ChangeJson }>(`/v1/projects/${projectId}/changes`, body)).change
}

export const changeOf = async (api: DemoApi, id: string): Promise<ChangeJson> =>
  (await api.get<{ change: ChangeJson }>(`/v1/changes/${id}`)).change

export const changeWhen = (api: DemoApi, id: string, done: (change: ChangeJson) => boolean): Promise<ChangeJson> =>
  Flow.until(() => changeOf(api, id), done)

export interface TaskRow {
  readonly key: string
  readonly status: string
  readonly attempt: number
  readonly reason: string | null
}

export const tasksOf = async (api: DemoApi, id: string): Promise<ReadonlyArray<TaskRow>> =>
  (await api.get<{ items: ReadonlyArray<TaskRow> }>(`/v1/changes/${id}/tasks`)).items

export const candidatesOf = async (api: DemoApi, id: string): Promise<ReadonlyArray<CandidateJson>> =>
  (await api.get<{ items: ReadonlyArray<CandidateJson> }>(`/v1/changes/${id}/candidates`)).items

/** Waits for a Candidate of the Change that is verified. */
export const verifiedOf = async (api: DemoApi, id: string): Promise<CandidateJson> => {
  const found = await Flow.until(
    () => candidatesOf(api, id),
    (all) => all.some(({ status }) => status === "verified")
  )
  return found.find(({ status }) => status === "verified")!
}

export interface CallRow {
  readonly purpose: string
  readonly state: string
  readonly model: string
  readonly cost_usd: number
}

export const callsOf = async (api: DemoApi, id: string): Promise<ReadonlyArray<CallRow>> =>
  (await api.get<{ items: ReadonlyArray<CallRow> }>(`/v1/changes/${id}/model-calls`)).items
