/** What statements say that need no more than one record, or two: a Policy, a seed. Pure. */
import type { Generation } from "../model/Generation.ts"
import type { Policy } from "../model/Policy.ts"
import type { Sha, SourceDigest, Subject } from "./Predicates.ts"
import { recordDigest } from "./RecordDigest.ts"
import type { Fact } from "./Statements.ts"

/** A digest as statements write it. */
export const sha = (sha256: string): Sha => ({ sha256 })

/** A generation, or what is known of its source. */
type SourceOf = Pick<Generation, "projectId" | "generation" | "commit" | "tree" | "dirHash">

/** Of a generation's files: its commit and tree, and what its files are where that was kept. */
export const sourceDigest = ({ commit, dirHash, tree }: Omit<SourceOf, "projectId" | "generation">): SourceDigest => ({
  gitCommit: commit,
  gitTree: tree,
  ...(dirHash === undefined ? {} : { dirHash })
})

/** `<project>/S<generation>`. */
export const sourceSubject = (step: SourceOf): Subject => ({
  name: `${step.projectId}/S${step.generation}`,
  digest: sourceDigest(step)
})

/** `bundle.json`. */
export const bundleSubject = (digest: string): Subject => ({ name: "bundle.json", digest: sha(digest) })

/** A Policy as statements name it. */
export const policyRef = (policy: Policy): { readonly version: number } & Sha => ({
  version: policy.version,
  sha256: recordDigest("policyVersion", policy)
})

/** That a version of the Policy came into force. */
export const policyFact = (policy: Policy): Fact<"policy"> => ({
  kind: "policy",
  generation: null,
  subject: [
    { name: `${policy.projectId}/policy/${policy.version}`, digest: sha(recordDigest("policyVersion", policy)) }
  ],
  facts: { version: policy.version, by: policy.updatedBy }
})

/** Of what was promoted before its Project had statements: when that was. */
export interface AdoptedAt {
  readonly adopted?: { readonly promotedAt: string }
}

/** That S0 was seeded. */
export const seedFact = (step: Generation, policy: Policy, adopted: AdoptedAt = {}): Fact<"promotion"> => ({
  kind: "promotion",
  generation: step.generation,
  subject: [sourceSubject(step)],
  facts: {
    generation: step.generation,
    trigger: step.trigger,
    actor: { type: step.actor.type, id: step.actor.id },
    candidate: null,
    base: null,
    made: [],
    policy: policyRef(policy),
    plan: null,
    checks: [],
    approvals: [],
    approvalsRequired: 0,
    packages: null,
    ...adopted
  }
})
