/**
 * What is verified, wherever it lies: a data folder, a pack, a clone, or what a server answers. Nothing in it is believed
 * but the keys that whoever verifies trusts.
 */
import { type Effect, Schema, type Stream } from "effect"

/** A part of the material cannot be read at all: then nothing can be said of it. */
export class MaterialUnreadable extends Schema.TaggedError<MaterialUnreadable>()("MaterialUnreadable", {
  /** `statements`, `records`, `repo.git` … */
  part: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.part} cannot be read: ${this.reason}`
  }
}

/** A part that could not be read, and why: as a `MaterialUnreadable` says it. */
export type Unread = Pick<MaterialUnreadable, "part" | "reason">

/** One envelope as text; null for what is no UTF-8 or longer than `Limits.envelopeBytes`. */
export type Line = string | null

/** Kinds of records whose digests stand in statements, with what their ids are. */
export type ProofRecord =
  | "evidence"
  | "approval"
  /** By the version of the Policy. */
  | "policyVersion"
  /** By the id of the Candidate. */
  | "plan"
  /** Who made its ChangeSets, where the statement has no room for them: by the id of the Candidate. */
  | "made"

/** An object that a statement names. Only its digest is needed where objects are kept by digest. */
export interface Thing {
  readonly as: "output" | "bundle" | "asset" | "sbom"
  readonly sha256: string
  /** Of an output: the id of its evidence, and when its check ended. */
  readonly evidence?: string
  readonly at?: string
  /** Of a bundle and its parts: the commit that it was built of. */
  readonly commit?: string
  /** Of a part of a bundle: its name there, `assets/<path>` for an asset. */
  readonly name?: string
}

/** What is kept of an object. */
export interface KeptThing {
  /** Of the bytes that are there, in hex. */
  readonly sha256: string
  /** All of it. Fails for more than `Limits.provenObjectBytes`. */
  readonly bytes: Effect.Effect<Uint8Array, MaterialUnreadable>
}

/** What a commit holds, as the repository has it. */
export interface SourceCommit {
  readonly tree: string
  /** SHA-256 over the lines `<sha256>  <path>\n` of all files, sorted by the bytes of the paths. */
  readonly dirHash: Effect.Effect<string, MaterialUnreadable>
}

/** A repository. */
export interface Source {
  /** The commits in the order of their ids; null for one that is not there. */
  readonly commits: (
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<SourceCommit | null>, MaterialUnreadable>
  /** The commit of `main`; null without one. */
  readonly main: Effect.Effect<string | null, MaterialUnreadable>
  /**
   * What git would wait for in the place of a file, by name; else the ids of objects that lie in files of their own, and are
   * damaged: whatever refers to them. It is asked first.
   */
  readonly damagedFiles: Effect.Effect<ReadonlyArray<string>, MaterialUnreadable>
  /** Whether its packs are whole; what is wrong else. */
  readonly damage: Effect.Effect<string | null, MaterialUnreadable>
}

/** What a host serves now. */
export interface Live {
  /** The digest of its bundle.json; null for nothing. */
  readonly bundle: string | null
  readonly generation: number | null
  readonly channel: string
  readonly incarnation: number
  /** Digests of the files that it serves, by their paths in the bundle. */
  readonly assets: Readonly<Record<string, string>>
  /** The entry of the release that its row carries; not there where that is not known. */
  readonly entry?: number | undefined
  /** The envelope of that release, as the row carries it; null where it carries none. Not there where that is not known. */
  readonly envelope?: string | null | undefined
}

/** The log's own memory beside the keys: the highest size of each origin that was signed, with its root in base64. */
export type Heads = Readonly<Record<string, { readonly size: number; readonly root: string }>>

/** All of it. What is null is not there to be looked at. */
export interface Material {
  readonly statements: Stream.Stream<ReadonlyArray<Line>, MaterialUnreadable>
  readonly keys: Stream.Stream<ReadonlyArray<Line>, MaterialUnreadable>
  /** The canonical text of a record; null for one that is not there. */
  readonly record: ((kind: ProofRecord, id: string) => Effect.Effect<string | null, MaterialUnreadable>) | null
  /** What is kept under a digest, or where it belongs; null for nothing. */
  readonly object: ((thing: Thing) => Effect.Effect<KeptThing | null, MaterialUnreadable>) | null
  /** Only some objects were ever here: one that is not is not missing. */
  readonly someObjects?: boolean
  /** The newest checkpoint, a signed note. */
  readonly checkpoint: string | null
  /** That over the history of keys. */
  readonly keysCheckpoint: string | null
  /** Older checkpoints that whoever verifies has kept, of either. */
  readonly seen: ReadonlyArray<string>
  /** What is served, by each that tells of it: none where nobody does. */
  readonly live: ReadonlyArray<Live>
  readonly source: Source | null
  readonly heads: Heads | null
  /** Of a copy: what its maker could not read, and looked no further than. */
  readonly unread?: ReadonlyArray<Unread> | undefined
}

/** Whom whoever verifies believes. */
export interface Trust {
  /** Ids of keys, of which the first of the key history must be one. */
  readonly keys: ReadonlyArray<string>
  /** The Project whose chain this is. */
  readonly project: string
  /** The log's origin in its first epoch. */
  readonly origin: string
  /**
   * The log's public key, SPKI in base64: it, and those that it handed over to or got from, make checkpoints. Null takes all
   * that the key history introduces.
   */
  readonly logKey: string | null
  /** The origins at which people sign with passkeys; none takes any whose host is the passkey's own. */
  readonly origins: ReadonlyArray<string>
  /** Outputs of checks that ended before this instant may be gone by retention; without it none may. */
  readonly outputsSince?: string | undefined
  /** What was stated between these instants may still wait for its signature: a minute before and after it was all read, and no more. */
  readonly waiting?: { readonly from: string; readonly to: string } | undefined
}
