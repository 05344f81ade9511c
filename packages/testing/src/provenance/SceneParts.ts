/** What scenes are made of: ids, sources, Policies, and the chains and records that they grow. */
import type { Chain } from "@pawl/core/model/Chain"
import type { Policy } from "@pawl/core/model/Policy"
import { sha256AtOnce, utf8 } from "@pawl/core/primitives/Digest"
import type { CandidateId, ChangeId, ProjectId } from "@pawl/core/primitives/Ids"
import type { Sha, Subject } from "@pawl/core/provenance/Predicates"
import { type Fact, following } from "@pawl/core/provenance/Statements"
import { type SceneKey, sealed } from "./SceneKeys.ts"
import type { SceneCommit } from "./SceneSources.ts"

/** Where people sign. */
export const site = "https://pawl.example"
/** The Project of all scenes. */
export const project: ProjectId = "proj_6f1d2c3b-8a4e-4d1c-9b7a-2f0e5c6d7a81"
const minute = 60_000
const start = 1_780_000_000_000
/** An owner. */
export const owner = "usr_00000000-0000-4000-8000-000000000001"
/** The person for whom agents work. */
export const author = "usr_00000000-0000-4000-8000-000000000002"
/** The person who approves. */
export const approverId = "usr_00000000-0000-4000-8000-000000000003"

/** A generation of these does something else than the others. */
export const odd = {
  listed: 5,
  waived: 9,
  carried: 10,
  newPolicy: 12,
  rollbackTo: 15,
  failed: 17,
  rotation: 18,
  rollback: 20,
  repeatedTree: 22,
  repeatedInputs: 23,
  retried: 24,
  sbom: 26,
  excepted: 28
}

/** Minutes after the beginning. */
export const time = (n: number): string => new Date(start + n * minute).toISOString()
/** A number with zeros in front. */
export const digits = (n: number, length: number): string => String(n).padStart(length, "0")
/** The Candidate of a generation. */
export const candidateOf = (n: number): CandidateId => `cand_${digits(n, 24)}`
/** The Change of a generation. */
export const changeOf = (n: number): ChangeId => `chg_00000000-0000-4000-8000-${digits(n, 12)}`
/** A digest as statements write it. */
export const sha = (sha256: string): Sha => ({ sha256 })

/** The source of a generation. */
export const filesOf = (n: number): ReadonlyMap<string, string> =>
  n === odd.rollback
    ? filesOf(odd.rollbackTo)
    : new Map([
        ["pawl.json", '{"checks":[]}\n'],
        ["src/index.js", `export default ${n}\n`],
        ["public/a.txt", `asset ${n}\n`],
        ["public/ä.txt", "the same in all\n"]
      ])

/** A version of the Policy. */
export const policyOf = (version: number): Policy => ({
  projectId: project,
  version,
  autoPromoteRiskTiers: [],
  approvalRiskTiers: ["high"],
  approvalsSigned: ["high"],
  requiredChecks: ["build", "test"],
  allowSelfApproval: false,
  approvalsRequired: 1,
  waivedChecks: [{ id: "test", reason: "flaky runner", until: time(99_999) }],
  baseChecksMustPass: false,
  packages: {},
  lane: { mode: "on", carryApprovals: version === 1 ? "same-blobs" : "never" },
  flakeRetries: 1,
  freezes: [
    { from: time(odd.rollback * 10), until: time(odd.rollback * 10 + 5), reason: "rollbacks pass" },
    { from: time(odd.excepted * 10), until: time(odd.excepted * 10 + 5), reason: "one passes", except: [author] }
  ],
  updatedAt: time(version),
  updatedBy: owner
})

/** What is written while a scene is made. */
export interface Writer {
  chain: Chain
  readonly entries: Array<{ readonly payload: string; readonly digest: string }>
  readonly edges: Array<ReadonlyArray<string>>
  instance: Chain
  readonly keys: Array<string>
  readonly records: Map<string, string>
  readonly objects: Map<string, Uint8Array>
}

/** Says a fact in the Project's chain; answers the digest of its payload. */
export const say = (writer: Writer, fact: Fact, at: string): string => {
  const { chain, statement } = following(writer.chain, fact, at)
  writer.chain = chain
  writer.entries.push(statement)
  writer.edges.push(chain.edge)
  return statement.digest
}

/** Says an entry of the key history. */
export const sayKey = (writer: Writer, fact: Fact<"key"> | Fact<"approver">, at: string, signer: SceneKey): void => {
  const { chain, statement } = following(writer.instance, fact, at)
  writer.instance = chain
  writer.keys.push(sealed(signer, statement.payload))
}

/** Keeps a record's text; answers its digest. */
export const keep = (writer: Writer, kind: string, id: string, text: string): Sha => {
  writer.records.set(`${kind} ${id}`, text)
  return sha(sha256AtOnce(text))
}

/** Stores an object; answers its digest. */
export const store = (writer: Writer, content: string): Sha => {
  const digest = sha256AtOnce(content)
  writer.objects.set(digest, utf8(content))
  return sha(digest)
}

/** A generation as a subject. */
export const subjectOf = (n: number, { commit, dirHash, tree }: SceneCommit): Subject => ({
  name: `${project}/S${n}`,
  digest: { gitCommit: commit, gitTree: tree, dirHash }
})
/** A bundle as a subject. */
export const bundleSubject = (bundle: Sha): Subject => ({ name: "bundle.json", digest: bundle })
