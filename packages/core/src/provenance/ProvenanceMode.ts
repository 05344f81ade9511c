/** What unsigned statements mean for releases. Statements are written and signed in every mode. */
import { Context } from "effect"

/** `enforce`: a release waits until what says so is signed. `warn` and `off`: it does not. */
export type Mode = "off" | "warn" | "enforce"

/** The mode of this installation. Off unless it is provided. */
export const ProvenanceMode = Context.Reference<Mode>("@pawl/core/provenance/ProvenanceMode", {
  defaultValue: () => "off"
})
