/** What stands against what was promoted, and what to do about it, in words for somebody who asks over HTTP. */
import { releaseProblems } from "@pawl/core/provenance/ServedRelease"
import type { Doubt } from "@pawl/core/why/WhyDoubt"
import type { Next } from "@pawl/core/why/WhyNext"

type Doubted = Extract<Next, { readonly code: "doubted" }>
type SignerDoubt = Extract<Doubt, { readonly of: "signer" }>
type RouterDoubt = Extract<Doubt, { readonly of: "router" }>

const signerRemedies = (projectId: string): Readonly<Record<SignerDoubt["problem"], string>> => ({
  log_behind: "the signer has signed more than the database has: it was put back. On the server: pawl key epoch",
  key_unknown:
    "the signer's key is not the newest of this installation. On the server: put back its key, or pawl key reset",
  audit_pending: `a stolen key was revoked, and all is signed anew once an audit has found nothing: POST /v1/projects/${projectId}/audit`,
  unsigned:
    "the signer does not answer, and is asked again every 2 s. On the server: pawl doctor, and the log says what it answers"
})

const tampered =
  "Somebody may have changed what is served: on the server, pawl verify; then roll back, or promote, what should be live"
const anew = "Release it anew with a rollback to it or another promotion: the key of today signs that"
const routerRemedies: Readonly<Partial<Record<RouterDoubt["problem"], string>>> = {
  live_unstated: `It is older than statements, or was put there by nobody who may. ${tampered}`,
  key_unknown:
    "If the key is this installation's own, name it in PAWL_TRUSTED_KEYS of the router (pawl key show); else on the server: pawl verify",
  key_retired: anew,
  key_revoked: anew
}

const signerWords = ({ holdsBack, problem, since }: SignerDoubt, { generation, projectId }: Doubted): string => {
  const held = holdsBack ? ", and its release waits for that" : ""
  return `It is S${generation}, and has no signature since ${since} (${problem})${held}: ${signerRemedies(projectId)[problem]}.`
}

const routerWords = ({ holdsBack, problem, serves }: RouterDoubt, { generation }: Doubted): string => {
  const what =
    serves === generation ? "it" : serves === null ? "what is live" : `S${serves}, which is live in its place`
  const how = holdsBack ? `Routers do not serve ${what}` : `Routers serve ${what}, with a warning`
  return `It is S${generation}. ${how}: ${releaseProblems[problem]} (${problem}). ${routerRemedies[problem] ?? tampered}.`
}

/** What to do about a doubt. */
export const doubtInWords = (next: Doubted): string =>
  next.doubt.of === "signer" ? signerWords(next.doubt, next) : routerWords(next.doubt, next)
