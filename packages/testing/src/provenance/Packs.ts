/** A pack in memory, and as the folder that a verifier reads. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** What is served, as `live.json` has it. */
export interface PackLive {
  bundle: string | null
  generation: number | null
  channel: string
  incarnation: number
  assets: Record<string, string>
  /** The entry of the release that the pointer's row carries. */
  entry?: number
  /** The envelope that it carries; null for none. */
  envelope?: string | null
}

/** Whom a verifier believes, as `trust.json` has it. */
export interface PackTrust {
  keys: Array<string>
  log: { origin: string; spki: string }
  origins: Array<string>
  /** What was stated between may be unsigned. */
  waiting?: { from: string; to: string }
  /** What its maker could not read. */
  unread?: Array<{ part: string; reason: string }>
}

/** All but the repository. */
export interface Pack {
  /** Envelopes, a line each. */
  statements: Array<string>
  keys: Array<string>
  /** Canonical texts by `<kind> <id>`. */
  records: Map<string, string>
  /** By their SHA-256. */
  objects: Map<string, Uint8Array>
  checkpoint: string
  /** The newest one of the history of keys. */
  keysCheckpoint?: string
  /** An older checkpoint that somebody kept. */
  seen?: string
  live: PackLive
  trust: PackTrust
  /** The signer's own memory beside its keys. */
  heads?: Record<string, { size: number; root: string }>
}

const lines = (all: Iterable<string>): string => [...all].map((line) => `${line}\n`).join("")

/** Another one with the same content, to be changed. */
export const copyOfPack = (pack: Pack): Pack => ({
  ...structuredClone(pack),
  objects: new Map(pack.objects)
})

/** Writes a pack into a folder, which must be there. The repository is the caller's. */
export const writePack = (folder: string, pack: Pack): void => {
  const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content)
  mkdirSync(join(folder, "objects"), { recursive: true })
  write("statements.intoto.jsonl", lines(pack.statements))
  write("keys.intoto.jsonl", lines(pack.keys))
  write("records.ndjson", lines([...pack.records].map((record) => JSON.stringify(record))))
  for (const [digest, bytes] of pack.objects) write(join("objects", digest), bytes)
  write("checkpoint", pack.checkpoint)
  if (pack.keysCheckpoint !== undefined) write("keys.checkpoint", pack.keysCheckpoint)
  if (pack.seen !== undefined) write("seen", pack.seen)
  write("live.json", JSON.stringify(pack.live))
  write("trust.json", JSON.stringify(pack.trust))
  if (pack.heads !== undefined) write("heads.json", JSON.stringify(pack.heads))
}
