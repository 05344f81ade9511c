/** What statements say of a release: that a bundle is about to be served, and how that ended. Pure. */
import type { Generation } from "../model/Generation.ts"
import type { Pointer } from "../model/Pointer.ts"
import type { BundleSource, ProbeResult } from "../model/Release.ts"
import { canonicalJson, sha256AtOnce } from "../primitives/Digest.ts"
import { bundleSubject, sha, sourceSubject } from "./Facts.ts"
import type { OutcomeFacts, Sha } from "./Predicates.ts"
import type { Fact } from "./Statements.ts"

/** A digest that may not be there. */
const shaOrNull = (sha256: string | null): Sha | null => (sha256 === null ? null : sha(sha256))

/** What is about to be served. */
export interface AboutToServe {
  readonly generation: number
  readonly bundleDigest: string
  readonly source: BundleSource
  /** Of a bundle that was made from another generation's. */
  readonly derivedFrom: { readonly generation: number; readonly digest: string } | null
  /** The pointer's digest to go back to. */
  readonly mayRestore: string | null
}

/** That a bundle is about to be served on a pointer's host. */
export const releaseFact = (
  about: AboutToServe,
  { channel, incarnation, label }: Pick<Pointer, "channel" | "incarnation" | "label">
): Fact<"release"> => ({
  kind: "release",
  generation: about.generation,
  subject: [bundleSubject(about.bundleDigest)],
  facts: {
    generation: about.generation,
    channel,
    incarnation,
    label,
    source: about.source,
    ...(about.derivedFrom === null
      ? {}
      : { derivedFrom: { generation: about.derivedFrom.generation, sha256: about.derivedFrom.digest } }),
    mayRestore: shaOrNull(about.mayRestore)
  }
})

/** How what was released ended. */
export interface EndedAs {
  readonly outcome: OutcomeFacts["outcome"]
  /** The digest of its newest `release` statement. */
  readonly release: string | null
  /** What is served again; undefined where the pointer did not go back. */
  readonly restored?: { readonly generation: number | null; readonly bundleDigest: string } | null
  readonly probes: ReadonlyArray<ProbeResult> | null
  /** The failure was injected: nothing moved. */
  readonly injected?: true
}

/** The digest of what a smoke test saw. */
const probesDigest = (probes: ReadonlyArray<ProbeResult>): string => sha256AtOnce(canonicalJson(probes))

/** Which generation it was. */
export type EndedSource = Pick<Generation, "projectId" | "generation" | "commit" | "tree">

/** That a release ended, or that what it served was removed. */
export const outcomeFact = ({ commit, generation, projectId, tree }: EndedSource, ended: EndedAs): Fact<"outcome"> => ({
  kind: "outcome",
  generation,
  subject: [sourceSubject({ projectId, generation, commit, tree })],
  facts: {
    generation,
    channel: "production",
    outcome: ended.outcome,
    release: shaOrNull(ended.release),
    ...(ended.restored === undefined
      ? {}
      : {
          restored:
            ended.restored === null
              ? null
              : { generation: ended.restored.generation, sha256: ended.restored.bundleDigest }
        }),
    probes: ended.probes === null || ended.probes.length === 0 ? null : sha(probesDigest(ended.probes)),
    ...(ended.injected === undefined ? {} : { injected: true as const })
  }
})
