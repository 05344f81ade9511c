/**
 * The SHA-256 of what a Candidate does to its base: of the very bytes that anybody gets who asks for the diff as text. Who
 * looked at that diff elsewhere knows by it that the dialog is of the same one.
 */
import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { addressOf } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { askText } from "../api/PlainText.ts"
import { useAnswer } from "../api/Queries.ts"
import { asRefusal, Refusal } from "../api/Refusal.ts"
import type { CallOptions } from "../api/Wire.ts"
import type { Candidate } from "../change/Records.ts"
import { Id } from "../ui/Id.tsx"

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Browsers digest on pages that nobody could have altered on their way: over https, and at localhost. */
const subtle = (): SubtleCrypto => {
  if (globalThis.isSecureContext) return crypto.subtle
  throw new Refusal({
    status: 0,
    code: "no_digest",
    title: "This browser makes no digests here",
    detail: "It makes digests over https and at localhost alone.",
    requestId: null,
    facts: {}
  })
}

const digestOf = async (id: string, options: CallOptions): Promise<string> => {
  const answer = await askText(addressOf({ method: "GET", path: "/v1/candidates/:id/diff", params: { id } }), options)
  return hex(await subtle().digest("SHA-256", await answer.arrayBuffer()))
}

/** In hex. Nothing is asked for before the Candidate is composed. */
export const useDiffDigest = ({ commit, id }: Pick<Candidate, "commit" | "id">): UseQueryResult<string> =>
  useAnswer(keys.ofCandidate(id, "diff-digest"), (options) => digestOf(id, options), { enabled: commit !== null })

/** It, or why there is none. */
export const DiffDigest = ({ of }: { readonly of: Candidate }): ReactNode => {
  const { data, error } = useDiffDigest(of)
  if (data !== undefined) return <Id id={data} label="diff digest" />
  if (error !== null) return `No digest: ${asRefusal(error).detail}`
  return of.commit === null ? "not composed yet" : "The browser makes its digest…"
}
