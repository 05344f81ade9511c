/**
 * What the host of an app says of itself (`/__service/provenance.json`), held against the keys that somebody trusts: the
 * statement of its release, that this is in the log, and the summary of its generation. Nothing else is asked for.
 */
import { Effect, Schema, Stream } from "effect"
import { Signature } from "../model/Statement.ts"
import { Limits } from "../primitives/Limits.ts"
import { isShaped } from "../primitives/PlainJson.ts"
import { base64Bytes } from "../primitives/StrictBase64.ts"
import { readOnce } from "../primitives/StrictJson.ts"
import { textOf } from "../primitives/Utf8.ts"
import { type Checkpoint, readCheckpoint } from "../provenance/Checkpoint.ts"
import { leafHash } from "../provenance/Edge.ts"
import { payloadType } from "../provenance/Envelope.ts"
import { endedProblem } from "../provenance/KeyRules.ts"
import { isIncluded } from "../provenance/Merkle.ts"
import { statementType } from "../provenance/Predicates.ts"
import { type Engine, pureEngine } from "./Engine.ts"
import { isSignedBy, type Opened, opened } from "./Envelopes.ts"
import { emptyFindings, type Finding, findingCodes } from "./Findings.ts"
import { readKeys } from "./KeyProof.ts"
import { emptyLeaves } from "./Leaves.ts"
import { checkLog, keysLog, noteOf, ownLog } from "./LogProof.ts"
import type { Line, Material, Trust } from "./Material.ts"
import { emptyProof, type Proof } from "./ProofState.ts"
import type { Release } from "./StatementShapes.ts"

const Sealed = Schema.Struct({
  payloadType: Schema.String,
  payload: Schema.String,
  signatures: Schema.Array(Signature)
})

/** The page, as far as it is read. What a router alone or an older one does not tell is null, or not there. */
export const HostPage = Schema.Struct({
  project: Schema.String,
  channel: Schema.String,
  incarnation: Schema.Finite,
  generation: Schema.NullOr(Schema.Finite),
  commit: Schema.NullOr(Schema.String),
  bundle: Schema.Struct({ sha256: Schema.NullOr(Schema.String) }),
  verdict: Schema.optionalKey(Schema.String),
  statement: Schema.NullOr(Sealed),
  checkpoint: Schema.optionalKey(Schema.NullOr(Schema.String)),
  proof: Schema.optionalKey(Schema.NullOr(Schema.String)),
  summary: Schema.optionalKey(Schema.NullOr(Sealed)),
  keys: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ history: Schema.Array(Schema.Unknown), checkpoint: Schema.NullOr(Schema.String) }))
  )
})
export interface HostPage extends Schema.Schema.Type<typeof HostPage> {}

/** A release that somebody has seen a host serve, and found good. */
export const SeenRelease = Schema.Struct({
  epoch: Schema.Finite,
  entry: Schema.Finite,
  /** The digest of the bundle that may be served again after it. */
  mayRestore: Schema.NullOr(Schema.String)
})
export interface SeenRelease extends Schema.Schema.Type<typeof SeenRelease> {}

/** What somebody asked, and knows. */
export interface HostQuestion {
  /** The name of the host that was asked, without a port. */
  readonly hostname: string
  readonly trust: Trust
  /** Checkpoints that were kept, of either log. */
  readonly seen: ReadonlyArray<string>
  readonly release: SeenRelease | null
  readonly acceptRestore?: boolean
  readonly engine?: Engine
}

/** What a host's page came to. */
export interface HostVerdict {
  readonly findings: ReadonlyArray<Finding>
  /** What is not there and must be, in words: without it nothing is shown. */
  readonly missing: ReadonlyArray<string>
  readonly keyid: string | null
  readonly firstKey: string | null
  /** When the release was stated. */
  readonly at: string | null
  readonly release: SeenRelease | null
  /** The size of the checkpoint that covers it; null where none does. */
  readonly checkpoint: number | null
  /** Whether the summary of its generation vouches for the commit. */
  readonly isSummed: boolean
}

const isLeaf = isShaped(Schema.Struct({ leaf: Schema.String }))
const hashBytes = 32

const valueOf = (text: string): unknown => {
  const read = readOnce(text, Limits.envelopeBytes)
  return "value" in read ? read.value : null
}

/** The hash of an entry that names people. */
const leafIn = (line: Line): Uint8Array | null => {
  const said = line === null || !line.startsWith('{"leaf":') ? null : valueOf(line)
  const hash = isLeaf(said) ? base64Bytes(said.leaf) : null
  return hash?.length === hashBytes ? hash : null
}

/** A page as material: the history of keys and the checkpoints; nothing else is there. */
export const materialOf = ({ checkpoint, keys }: HostPage, seen: ReadonlyArray<string>): Material => ({
  statements: Stream.empty,
  keys: Stream.succeed((keys?.history ?? []).map((each) => JSON.stringify(each))),
  record: null,
  object: null,
  checkpoint: checkpoint ?? null,
  keysCheckpoint: keys?.checkpoint ?? null,
  seen,
  live: [],
  source: null,
  heads: null
})

const place = "live"
const log = "checkpoint"

/** What is wrong with who signed an envelope, which says that it is this entry. */
const checkSigner = Effect.fnUntraced(function* (
  { engine, findings, history, trust }: Proof,
  of: Opened,
  entry: number
) {
  const keyid = of.signature?.keyid ?? ""
  const key = history.keys.get(keyid)
  const code = key?.use === "statement" ? endedProblem(key, trust.project, entry) : "key_unknown"
  if (code !== null || key === undefined) findings.say(place, code ?? "key_unknown", keyid)
  else if (!(yield* Effect.promise(() => isSignedBy(of, key, engine)))) findings.say(place, "signature_invalid", keyid)
})

/** Whether a statement says what the host says. */
const checkSaid = (
  { findings }: Proof,
  page: HostPage,
  said: Release,
  bundle: string | null,
  hostname: string
): void => {
  const { channel, generation, incarnation, label, project } = said
  if (project !== page.project) findings.say(place, "project_mismatch", project)
  if (channel !== page.channel || incarnation !== page.incarnation)
    findings.say(place, "release_other_place", `stated for ${channel}, incarnation ${incarnation}`)
  if (hostname.split(".", 1)[0] !== label) findings.say(place, "release_other_place", `stated for the host ${label}`)
  if (bundle !== page.bundle.sha256) findings.say(place, "live_mismatch", `stated is the bundle ${bundle}`)
  if (generation !== page.generation) findings.say(place, "live_mismatch", `stated is S${generation ?? "-"}`)
}

/** Whether a release was stated before another of its Project. */
export const isOlder = (one: Pick<SeenRelease, "epoch" | "entry">, other: SeenRelease): boolean =>
  one.epoch < other.epoch || (one.epoch === other.epoch && one.entry < other.entry)

/** The release that the host carries; null where it carries none that can be read. */
const checkRelease = Effect.fnUntraced(function* (
  proof: Proof,
  page: HostPage,
  { hostname, release: seen }: HostQuestion
) {
  const { findings } = proof
  if (page.statement === null) {
    findings.say(place, "live_unstated", "it carries no signed statement of its release")
    return null
  }
  const envelope = opened(JSON.stringify(page.statement), proof.engine)
  for (const { code, words } of envelope.faults) findings.say(place, code, words)
  const { payload, statement } = envelope
  if (payload === null || statement === null || envelope.faults.length > 0) return null
  if (statement.kind !== "release") {
    findings.say(place, "type_unknown", `a ${statement.kind}, and no release`)
    return null
  }
  const said = statement.predicate
  yield* checkSigner(proof, envelope, said.entry)
  const digest = statement.subject.find(({ name }) => name === "bundle.json")?.digest
  const bundle = digest !== undefined && "sha256" in digest ? digest.sha256 : null
  checkSaid(proof, page, said, bundle, hostname)
  if (seen !== null && isOlder(said, seen) && (bundle === null || bundle !== seen.mayRestore))
    findings.say(place, "release_superseded", `entry ${said.entry}, and entry ${seen.entry} was served before`)
  return { payload, said, keyid: envelope.signature?.keyid ?? null }
})

/** A proof (c2sp.org/tlog-proof@v1) as it is written; null for none. */
const proofIn = (text: string) => {
  const end = text.indexOf("\n\n")
  const [head, index = "", ...hashes] = text.slice(0, Math.max(0, end)).split("\n")
  const [, at] = /^index (0|[1-9][0-9]{0,14})$/.exec(index) ?? []
  const path = hashes.map(base64Bytes)
  if (head !== "c2sp.org/tlog-proof@v1" || at === undefined || path.some((each) => each?.length !== hashBytes))
    return null
  return { index: Number(at), path: path.flatMap((each) => each ?? []), checkpoint: text.slice(end + 2) }
}

const epochIn = (origin: string): number => Number(/\/log\/[^/]+\/([0-9]+)$/.exec(origin)?.[1] ?? 1)

/** Whether what was kept of the log says something else of the same size: more cannot be said without its entries. */
const checkKept = Effect.fnUntraced(function* (proof: Proof, note: Checkpoint) {
  const empty = ownLog(proof, emptyLeaves(proof.engine.hash), epochIn(note.origin))
  const ofKeys = proof.trust.origin.replace(/[^/]*$/, "instance")
  for (const text of proof.material.seen) {
    const origin = readCheckpoint(text)?.origin
    if (origin === ofKeys || origin?.startsWith(`${ofKeys}/`) === true) continue
    const kept = yield* noteOf(proof, empty, "seen checkpoint", text)
    const isSame = kept?.note.origin === note.origin && kept.note.size === note.size
    if (isSame && kept.note.root !== note.root)
      proof.findings.say("seen checkpoint", "history_rewritten", `of the first ${note.size} statements`)
  }
})

/** Whether the log has the release. Answers the size of the checkpoint that says so. */
const checkInLog = Effect.fnUntraced(function* (
  proof: Proof,
  page: HostPage,
  of: { payload: Uint8Array; said: Release }
) {
  const { findings, trust } = proof
  const { checkpoint = null, proof: shown = null } = page
  if (checkpoint === null || shown === null) return null
  if (!trust.origin.endsWith(`/log/${page.project}`)) findings.say(log, "project_mismatch", trust.origin)
  const found = yield* noteOf(proof, ownLog(proof, emptyLeaves(proof.engine.hash), of.said.epoch), log, checkpoint)
  if (found === null) return null
  const { note } = found
  if (found.epoch < of.said.epoch)
    findings.say(log, "history_lost", `of epoch ${found.epoch}, the release is of ${of.said.epoch}`)
  yield* checkKept(proof, note)
  const read = proofIn(shown)
  const root = base64Bytes(note.root)
  const isThere =
    read !== null &&
    root !== null &&
    read.checkpoint === checkpoint &&
    read.index === of.said.entry &&
    isIncluded({ index: read.index, leaf: leafHash(of.payload), root, size: note.size }, read.path)
  if (isThere) return note.size
  findings.say(log, "checkpoint_mismatch", `it is not shown that entry ${of.said.entry} of the log is this release`)
  return null
})

const isSummary = isShaped(
  Schema.Struct({
    _type: Schema.Literal(statementType),
    predicateType: Schema.Literal("https://slsa.dev/verification_summary/v1"),
    subject: Schema.Array(Schema.Struct({ name: Schema.String, digest: Schema.Record(Schema.String, Schema.String) })),
    predicate: Schema.Struct({ verificationResult: Schema.String })
  })
)

/** The summary vouches for the commit, in words that name nobody. It is signed when it is asked for, by the key of that time. */
const checkSummary = Effect.fnUntraced(function* ({ engine, findings, history }: Proof, page: HostPage) {
  const sealed = page.summary ?? null
  if (sealed === null) return false
  const [signature, ...more] = sealed.signatures
  const payload = engine.base64(sealed.payload)
  if (payload === null || signature === undefined || more.length > 0 || sealed.payloadType !== payloadType) {
    findings.say("summary", "statement_unreadable", "it is no envelope with one signature")
    return false
  }
  const { keyid } = signature
  const key = history.keys.get(keyid)
  const sig = engine.base64(signature.sig)
  const isGood =
    key !== undefined && sig !== null && (yield* Effect.promise(() => engine.holds(key, engine.signedOf(payload), sig)))
  const said = valueOf(textOf(payload))
  if (key?.use !== "statement") findings.say("summary", "key_unknown", keyid)
  else if (key.ended !== null) findings.say("summary", key.ended.revoked ? "key_revoked" : "key_retired", keyid)
  else if (!isGood) findings.say("summary", "signature_invalid", keyid)
  else if (!isSummary(said)) findings.say("summary", "type_unknown", "it is no verification summary")
  else {
    const source = said.subject.find(({ name }) => name === `${page.project}/S${page.generation ?? "-"}`)
    const commit = source?.digest["gitCommit"]
    if (said.predicate.verificationResult === "PASSED" && commit !== undefined && commit === page.commit) return true
    findings.say("summary", "live_mismatch", `it is not of S${page.generation ?? "-"} and commit ${page.commit}`)
  }
  return false
})

/** What a router found itself is believed where it is no praise. */
const checkVerdict = ({ findings }: Proof, { verdict = "" }: HostPage): void => {
  const code = findingCodes.find((each) => each === verdict)
  if (code !== undefined) findings.say(place, code, "the router says so itself")
}

const missingIn = ({ checkpoint = null, keys = null, proof = null }: HostPage): ReadonlyArray<string> => [
  ...(keys === null ? ["the history of keys"] : []),
  ...(keys !== null && keys.checkpoint === null ? ["a checkpoint of the history of keys"] : []),
  ...(checkpoint === null ? ["a checkpoint of the log"] : []),
  ...(checkpoint !== null && proof === null ? ["the proof that the log has this release"] : [])
]

const nothing = { keyid: null, firstKey: null, at: null, release: null, checkpoint: null, isSummed: false }

/** Verifies a page. It never fails: what is hostile ends in findings. */
export const verifyHost = Effect.fnUntraced(function* (page: HostPage, question: HostQuestion) {
  const { acceptRestore = false, engine = pureEngine, seen, trust } = question
  const findings = emptyFindings()
  const material = materialOf(page, seen)
  const history = yield* readKeys(material, trust, engine, page.keys == null ? emptyFindings() : findings, leafIn)
  const proof = emptyProof(material, trust, history, engine, findings)
  checkVerdict(proof, page)
  // By no key nothing can be said.
  if (page.keys == null || history.keys.size === 0)
    return { ...nothing, findings: findings.list, missing: missingIn(page) } satisfies HostVerdict
  const ofKeys = keysLog(proof)
  if (ofKeys !== null) yield* checkLog(proof, ofKeys, material.keysCheckpoint, acceptRestore)
  const release = yield* checkRelease(proof, page, question)
  const checkpoint = release === null ? null : yield* checkInLog(proof, page, release)
  const isSummed = yield* checkSummary(proof, page)
  const { entry, epoch, mayRestore } = release?.said ?? { entry: -1, epoch: 0, mayRestore: null }
  return {
    findings: findings.list,
    missing: missingIn(page),
    keyid: release?.keyid ?? null,
    firstKey: history.keys.keys().next().value ?? null,
    at: release?.said.at ?? null,
    release: release === null ? null : { epoch, entry, mayRestore: mayRestore?.sha256 ?? null },
    checkpoint,
    isSummed
  } satisfies HostVerdict
})
