/** Sending a decision: by itself, or signed by a passkey of who decides. */
import { api } from "../api/Client.ts"
import { Refusal } from "../api/Refusal.ts"
import type { Answer } from "../api/Wire.ts"
import { signed } from "../approval/WebAuthn.ts"
import type { Candidate, Policy } from "../change/Records.ts"

/** What somebody decides. */
export type Decision = "granted" | "rejected"

/** Whether the Policy counts a grant of this Candidate only when a passkey has signed it. */
export const mustSign = (policy: Policy | null, { plan_json }: Pick<Candidate, "plan_json">): boolean =>
  plan_json !== null && policy?.approvalsSigned?.some((tier) => tier === plan_json.riskTier) === true

/** What is to be signed must be of the tree that was shown. */
const checkTree = (text: string, { id, tree }: Pick<Candidate, "id" | "tree">): void => {
  const claim = JSON.parse(text) as Readonly<Record<string, unknown>>
  if (claim["tree"] === tree && claim["candidate"] === id) return
  throw new Refusal({
    status: 0,
    code: "another_tree",
    title: "The server asks to sign something else",
    detail: `It asks for tree ${String(claim["tree"])}, and this page shows ${tree}. Nothing was signed. Reload the page and compare.`,
    requestId: null,
    facts: {}
  })
}

/** Stores it; with `sign` the caller's passkey signs it first. Throws a `Refusal`. */
export const decide = async (
  candidate: Candidate,
  decision: Decision,
  { note, sign }: { readonly note: string; readonly sign: boolean }
): Promise<Answer<"approvals", "approve">> => {
  const params = { id: candidate.changeId }
  const said = note.trim()
  const payload = { candidateId: candidate.id, decision, ...(said === "" ? {} : { note: said }) }
  if (!sign) return api.approvals.approve({ params, payload })
  const asked = await api.approvals.challenge({ params: { id: candidate.id }, query: { decision } })
  checkTree(asked.text, candidate)
  const passkey = await signed(asked.challenge, asked.credentials)
  return api.approvals.approve({ params, payload: { ...payload, passkey } })
}
