/** A signed envelope as an answer: plain DSSE, or the bundle that Sigstore's tools read. */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { entityTag } from "@pawl/core/primitives/Conditional"
import type { Envelope } from "@pawl/core/provenance/Envelope"
import { sigstoreBundle, sigstoreBundleType } from "@pawl/core/provenance/Summary"
import { type EnvelopeFormat, envelopeType } from "../../api/EnvelopeFormat.ts"
import { withTag } from "./Validators.ts"

/** As it was asked for by `format`, else by `Accept`, else as DSSE. */
export const envelopeAnswer = (envelope: Envelope, asked: EnvelopeFormat | undefined) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
    const isBundle = asked === undefined ? (headers["accept"] ?? "").includes(sigstoreBundleType) : asked === "bundle"
    const text = JSON.stringify(isBundle ? sigstoreBundle(envelope) : envelope)
    const contentType = isBundle ? sigstoreBundleType : envelopeType
    return Effect.as(withTag(entityTag(contentType, text)), HttpServerResponse.text(text, { contentType }))
  })
