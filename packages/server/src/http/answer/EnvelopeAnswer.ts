/** A signed envelope as an answer: plain DSSE, or the bundle that Sigstore's tools read. */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Envelope } from "@pawl/core/provenance/Envelope"
import { sigstoreBundle, sigstoreBundleType } from "@pawl/core/provenance/Summary"
import { type EnvelopeFormat, envelopeType } from "../../api/EnvelopeFormat.ts"

/** As it was asked for by `format`, else by `Accept`, else as DSSE. */
export const envelopeAnswer = (envelope: Envelope, asked: EnvelopeFormat | undefined) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => {
    const isBundle = asked === undefined ? (headers["accept"] ?? "").includes(sigstoreBundleType) : asked === "bundle"
    return isBundle
      ? HttpServerResponse.text(JSON.stringify(sigstoreBundle(envelope)), { contentType: sigstoreBundleType })
      : HttpServerResponse.text(JSON.stringify(envelope), { contentType: envelopeType })
  })
