/** Says of releases what statements say of them, and keeps the particulars beside: in the draft of the commit that does it. */
import type { OutcomeParticulars, ReleaseParticulars } from "../model/Particulars.ts"
import type { Pointer } from "../model/Pointer.ts"
import type { Statement } from "../model/Statement.ts"
import * as Draft from "../ledger/Draft.ts"
import { type ReadChain, say } from "./Chains.ts"
import { type AboutToServe, type EndedAs, type EndedSource, outcomeFact, releaseFact } from "./ReleaseFacts.ts"

/** That a bundle is about to be served by a pointer; undefined for a Project that is not adopted yet. */
export const sayRelease = (
  draft: Draft.Draft,
  chain: ReadChain,
  about: AboutToServe,
  pointer: Pointer
): Statement | undefined => {
  const said = say(draft, chain, () => releaseFact(about, pointer))
  if (said === undefined) return undefined
  const { projectId, incarnation } = pointer
  const particulars: ReleaseParticulars = { ...about, projectId, entry: said.entry, kind: "release", incarnation }
  Draft.insert(draft, "particulars", particulars)
  return said
}

/** That what was released ended, and how. */
export const sayOutcome = (draft: Draft.Draft, chain: ReadChain, step: EndedSource, ended: EndedAs): void => {
  const said = say(draft, chain, () => outcomeFact(step, ended))
  if (said === undefined) return
  const { injected, outcome, probes, release, restored } = ended
  const particulars: OutcomeParticulars = {
    projectId: step.projectId,
    entry: said.entry,
    generation: step.generation,
    kind: "outcome",
    outcome,
    release,
    ...(restored === undefined ? {} : { restored: servedAgain(restored) }),
    probes,
    ...(injected === undefined ? {} : { injected })
  }
  Draft.insert(draft, "particulars", particulars)
}

const servedAgain = (restored: NonNullable<EndedAs["restored"]> | null) =>
  restored === null ? null : { generation: restored.generation, bundleDigest: restored.bundleDigest }
