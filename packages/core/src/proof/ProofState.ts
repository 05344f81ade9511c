/** What a verification knows after each entry. */
import { Effect } from "effect"
import { Limits } from "../primitives/Limits.ts"
import { adoptedRecords } from "../provenance/AdoptedRecords.ts"
import type { Findings } from "./Findings.ts"
import type { Engine } from "./Engine.ts"
import type { KeyHistory } from "./KeyProof.ts"
import type { KeptThing, Material, MaterialUnreadable, ProofRecord, Thing, Trust } from "./Material.ts"
import type { PolicyText } from "./RecordShapes.ts"
import type { Adopted, Restored, SourceDigest } from "./StatementShapes.ts"
import { readOnce } from "../primitives/StrictJson.ts"

/** A generation that was stated. */
export interface KnownGeneration {
  readonly source: SourceDigest
  readonly where: string
  /** What its build check verified; null where nothing was built. */
  readonly bundle: string | null
  /** What was released of it. */
  readonly released: Set<string>
  /** It was told after the fact: what was released of it before then is stated by nothing. */
  readonly isAdopted: boolean
}

/** A release that was stated. */
export interface KnownRelease {
  readonly bundle: string
  readonly generation: number | null
  readonly channel: string
  readonly incarnation: number
  readonly entry: number
}

/** A version of the Policy that was stated; its text is null where it is not there to be looked at. */
export interface KnownPolicy {
  readonly sha256: string
  readonly text: PolicyText | null
}

/** Everything that entries are checked against. Only the checks of this room change it. */
export interface Proof {
  readonly material: Material
  readonly trust: Trust
  readonly engine: Engine
  readonly findings: Findings
  readonly history: KeyHistory
  readonly generations: Map<number, KnownGeneration>
  newest: number | null
  readonly policies: Map<number, KnownPolicy>
  policy: number
  /** By the digest of the payload. */
  readonly releases: Map<string, KnownRelease>
  /** Of each release the digest of its payload, and who signed it how: `sealOf`. */
  readonly seals: Set<string>
  /** Every bundle that a promotion or a release named. */
  readonly bundles: Set<string>
  /** What production serves by the newest settled release; null for nothing. */
  serving: KnownRelease | null
  /** Whether anything was said of how a release to production ended. */
  settled: boolean
  /** Releases to production that have not ended well or badly yet: any of them may be served. */
  readonly underWay: Map<string, KnownRelease>
  /** Where the chain of an older Project begins, and what was stated of that time since. */
  adopted: { readonly where: string; readonly facts: Adopted; readonly lines: Set<string>; done: boolean } | null
  readonly restored: Array<Restored>
  /** Objects that were looked at: they are not looked at twice. */
  readonly looked: Set<string>
}

/** What stands for an object that is there and cannot be read: that was said, and all else is looked at. */
const unreadThing: KeptThing = { sha256: "", bytes: Effect.succeed(new Uint8Array(0)) }

/** Objects, of which one that cannot be read ends nothing: it is said, once of each. */
const readable = (object: NonNullable<Material["object"]>, findings: Findings): NonNullable<Material["object"]> => {
  const told = new Set<string>()
  return (thing) => {
    const { as, commit = "", evidence = "", name = "", sha256 } = thing
    const key = `${as} ${sha256} ${commit} ${evidence} ${name}`
    const saying = <A>(read: Effect.Effect<A, MaterialUnreadable>, instead: A) =>
      Effect.catchTag(read, "MaterialUnreadable", ({ part, reason }) =>
        Effect.sync(() => {
          if (!told.has(key)) findings.say(part, "pack_unreadable", reason)
          told.add(key)
          return instead
        })
      )
    return Effect.map(saying(object(thing), unreadThing), (kept) =>
      kept === null ? null : { ...kept, bytes: saying(kept.bytes, new Uint8Array(0)) }
    )
  }
}

/** What is known before the first entry of a Project's chain. */
export const emptyProof = (
  material: Material,
  trust: Trust,
  history: KeyHistory,
  engine: Engine,
  findings: Proof["findings"]
): Proof => ({
  material: { ...material, object: material.object === null ? null : readable(material.object, findings) },
  trust,
  engine,
  findings,
  history,
  generations: new Map(),
  newest: null,
  policies: new Map(),
  policy: 0,
  releases: new Map(),
  seals: new Set(),
  bundles: new Set(),
  serving: null,
  settled: false,
  underWay: new Map(),
  adopted: null,
  restored: [],
  looked: new Set()
})

/** The record that a statement names, as JSON; null where it is not what was stated, which is said. */
export const recordOf = Effect.fnUntraced(function* (
  proof: Proof,
  where: string,
  wanted: { readonly kind: ProofRecord; readonly id: string; readonly sha256: string }
) {
  const { id, kind, sha256 } = wanted
  const { engine, findings, material } = proof
  if (material.record === null) return null
  const text = yield* material.record(kind, id)
  if (text === null) {
    findings.say(where, "record_missing", `${kind} ${id}`)
    return null
  }
  const read = engine.hex(text) === sha256 ? readOnce(text, Limits.provenRecordBytes) : { problem: "another digest" }
  if ("value" in read) return read
  findings.say(where, "record_mismatch", `${kind} ${id}: ${read.problem}`)
  return null
})

/** What is said of an object that is gone, or another one. */
type Ill = {
  readonly missing: "output_missing" | "bundle_missing" | "asset_missing" | "record_missing"
  readonly mismatch: "output_mismatch" | "bundle_mismatch" | "asset_mismatch" | "record_mismatch"
}

const ills: Readonly<Record<Thing["as"], Ill>> = {
  output: { missing: "output_missing", mismatch: "output_mismatch" },
  bundle: { missing: "bundle_missing", mismatch: "bundle_mismatch" },
  asset: { missing: "asset_missing", mismatch: "asset_mismatch" },
  sbom: { missing: "record_missing", mismatch: "record_mismatch" }
}

/** The object that a statement names, as it is kept; null where it is not the one, which is said. */
export const objectOf = Effect.fnUntraced(function* (proof: Proof, where: string, thing: Thing) {
  const { findings, material } = proof
  if (material.object === null) return null
  const kept = yield* material.object(thing)
  if (kept?.sha256 === unreadThing.sha256) return null
  const ill = ills[thing.as]
  const { outputsSince = "" } = proof.trust
  if (kept === null && material.someObjects === true) return null
  if (kept === null && thing.as === "output" && thing.at !== undefined && thing.at < outputsSince)
    findings.note(where, "output_expired", `of ${thing.at}: ${thing.sha256}`)
  else if (kept === null) findings.say(where, ill.missing, `${thing.as} ${thing.sha256}`)
  else if (kept.sha256 !== thing.sha256) findings.say(where, ill.mismatch, `${thing.as} ${thing.sha256}`)
  else return kept
  return null
})

/**
 * Whether an object was looked at before, or none is there to be looked at. Each copy is an object of its own where objects
 * are kept by place.
 */
export const isLooked = ({ looked, material }: Proof, { as, commit = "", name = "", sha256 }: Thing): boolean => {
  if (material.object === null) return true
  const key = `${as} ${sha256} ${commit} ${name}`
  if (looked.has(key)) return true
  looked.add(key)
  return false
}

/** Compares what was stated of the time before with what was counted there, once all of it is known. */
export const settleAdopted = ({ adopted, findings, newest }: Proof): void => {
  if (adopted === null || adopted.done) return
  adopted.done = true
  const { generation, records } = adopted.facts
  const { count, sha256 } = adoptedRecords(adopted.lines)
  if (newest === null || newest < generation)
    findings.say(
      adopted.where,
      "adopted_mismatch",
      `S${generation} was adopted, and S${newest ?? "-"} is the newest stated`
    )
  else if (records.count !== count || records.sha256 !== sha256)
    findings.say(adopted.where, "adopted_mismatch", `${count} record(s), not the ${records.count} that were adopted`)
}
