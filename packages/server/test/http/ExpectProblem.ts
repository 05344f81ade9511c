/** What every problem must be, beside its status and code. */
import { expect } from "vitest"
import type { Answer, Api } from "./TestApi.ts"

export const expectProblem = (
  answer: Answer,
  status: number,
  code: string,
  facts: Readonly<Record<string, unknown>> = {}
): void => {
  expect(answer).toMatchObject({ status, body: { status, code, type: `urn:pawl:problem:${code}`, ...facts } })
  expect(answer.headers.get("content-type")).toBe("application/problem+json")
  expect(answer.headers.get("x-request-id")).toBe(answer.body.requestId)
  expect(answer.body.title).not.toBe("")
  expect(answer.body.detail).not.toBe("")
}

/** Opens a Change and answers its id. */
export const openChange = async (api: Api, projectId: string, clientRequestId: string): Promise<string> => {
  const body = { clientRequestId, goal: "a goal", budget_usd: 1 }
  return (await api.call("POST", `/v1/projects/${projectId}/changes`, { body })).body.change.id
}
