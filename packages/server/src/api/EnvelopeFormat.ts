/** The two forms of a signed envelope. */
import { Schema } from "effect"

/** The media type of one DSSE envelope. */
export const envelopeType = "application/vnd.dsse.envelope+json"

/** `dsse`: the plain envelope; `bundle`: a Sigstore bundle v0.3 around it. */
const EnvelopeFormat = Schema.Literals(["dsse", "bundle"])
/** One of them. */
export type EnvelopeFormat = typeof EnvelopeFormat.Type

/** The query of an endpoint that answers an envelope. */
export const EnvelopeQuery = Schema.Struct({ format: Schema.optionalKey(EnvelopeFormat) })

/** How it is asked for, for an endpoint's description. */
export const envelopeForms =
  "`format=bundle`, or `Accept: application/vnd.dev.sigstore.bundle.v0.3+json`, answers it as a Sigstore bundle."
