/** A row of the table from refusals to answers. What is wrong is said by the refusal; a row adds what HTTP knows of it. */
import { Problem, type ProblemStatus } from "../../../api/Problem.ts"
import type { Refusal } from "../Refusal.ts"

type Facts = Readonly<Record<string, unknown>>

/** By the tag of the refusal. */
export type Rows = { readonly [T in Refusal["_tag"]]: (refusal: Extract<Refusal, { readonly _tag: T }>) => Problem }

/** A problem whose request id is set when it is answered. `facts` are fields of the answer, beside the others. */
export const problemOf = (
  status: ProblemStatus,
  code: string,
  title: string,
  detail: string,
  facts: Facts = {}
): Problem => new Problem({ status, code, title, detail, facts, requestId: "" })

/** A problem with status 409, for what the state does not allow. */
export const conflict = (code: string, title: string, detail: string, facts?: Facts) =>
  problemOf(409, code, title, detail, facts)
