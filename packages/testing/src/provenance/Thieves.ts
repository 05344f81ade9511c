/** What a thief does to a pack: with what lies there alone, or with the keys that sign statements and the log. */
import { canonicalJson, sha256AtOnce } from "@pawl/core/primitives/Digest"
import { extended, rootOf } from "@pawl/core/provenance/Edge"
import { predicateType } from "@pawl/core/provenance/Predicates"
import type { StatementKind } from "@pawl/core/model/Statement"
import type { Pack } from "./Packs.ts"
import { type SceneKey, sealed, signedNote } from "./SceneKeys.ts"
import type { Scene } from "./Scenes.ts"

/** JSON of which a thief knows the paths and no types: `predicate.checks.1.waived`. */
export class Json {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }

  #holder(path: string): { readonly holder: Record<string, unknown>; readonly name: string } {
    const names = path.split(".")
    const name = names.pop() ?? ""
    const holder = names.length === 0 ? this.value : this.get(names.join("."))
    if (typeof holder !== "object" || holder === null) throw new Error(`nothing holds ${path}`)
    return { holder: holder as Record<string, unknown>, name }
  }

  /** What stands there. */
  get(path: string): unknown {
    const { holder, name } = this.#holder(path)
    return holder[name]
  }

  /** The text that stands there. */
  text(path: string): string {
    const found = this.get(path)
    if (typeof found !== "string") throw new Error(`${path} is no text`)
    return found
  }

  /** Puts something there. */
  set(path: string, value: unknown): void {
    const { holder, name } = this.#holder(path)
    holder[name] = value
  }

  /** Takes it away. */
  drop(path: string): void {
    const { holder, name } = this.#holder(path)
    if (Array.isArray(holder)) holder.splice(Number(name), 1)
    else delete holder[name]
  }

  /** Another one with the same content. */
  copy(): Json {
    return new Json(structuredClone(this.value))
  }
}

const payloadOf = (line: string): Buffer => Buffer.from(new Json(JSON.parse(line)).text("payload"), "base64")

/** The statement of an envelope's line. */
export const statementOf = (line: string): Json => new Json(JSON.parse(payloadOf(line).toString()))

/** Changes the envelope of an entry, and nothing that it says. */
export const changeEnvelope = (lines: Array<string>, entry: number, change: (envelope: Json) => void): void => {
  const envelope = new Json(JSON.parse(lines[entry]!))
  change(envelope)
  lines[entry] = JSON.stringify(envelope.value)
}

/** Changes what an entry says, and leaves its signature. */
export const changePayload = (lines: Array<string>, entry: number, change: (statement: Json) => void): void =>
  changeEnvelope(lines, entry, (envelope) => {
    const statement = new Json(JSON.parse(Buffer.from(envelope.text("payload"), "base64").toString()))
    change(statement)
    envelope.set("payload", Buffer.from(canonicalJson(statement.value)).toString("base64"))
  })

/** The first statement of a kind about a generation. */
export const about = (statements: ReadonlyArray<Json>, generation: number, kind: StatementKind = "promotion"): Json => {
  const type = predicateType(kind)
  const found = statements.find(
    (each) => each.get("predicateType") === type && each.get("predicate.generation") === generation
  )
  if (found === undefined) throw new Error(`there is no ${kind} of S${generation}`)
  return found
}

/** The entry of that statement. */
export const entryOf = (pack: Pack, generation: number, kind: StatementKind = "promotion"): number => {
  const statements = pack.statements.map(statementOf)
  return statements.indexOf(about(statements, generation, kind))
}

/** How a thief with keys writes the chain anew. */
export interface Rewriting {
  /** Which key signs an entry; default the one whose turn it was. */
  readonly key?: (entry: number) => SceneKey
  /** Whether entries are numbered and linked anew; default yes. */
  readonly relink?: boolean
  /** Whether a new checkpoint is made; default yes. */
  readonly relog?: boolean
  /** Entries before it stay as they are. */
  readonly from?: number
}

/** Changes the statements, links them anew, signs them and the log. */
export const rewrite = (
  scene: Scene,
  pack: Pack,
  change: (statements: Array<Json>) => void,
  { from = 0, key, relink = true, relog = true }: Rewriting = {}
): void => {
  const signer = key ?? ((entry: number) => (entry < scene.rotatedAt ? scene.first : scene.second))
  const before = [...pack.statements]
  const statements = before.map(statementOf)
  change(statements)
  let previous: string | null = null
  const made = new Map<unknown, string>()
  const stood = new Map(before.map((line) => [sha256AtOnce(payloadOf(line)), statementOf(line)]))
  // Who can write all anew lets what names a statement name the new one.
  const names = (statement: Json) => {
    const old = statement.get("predicate.release")
    const meant = typeof old === "object" && old !== null ? stood.get(new Json(old).text("sha256")) : undefined
    const anew = made.get(meant?.get("predicate.at"))
    if (anew !== undefined) statement.set("predicate.release", { sha256: anew })
  }
  pack.statements = statements.map((statement, entry) => {
    if (entry < from) {
      previous = sha256AtOnce(payloadOf(before[entry]!))
      return before[entry]!
    }
    if (relink) {
      statement.set("predicate.entry", entry)
      statement.set("predicate.previous", previous === null ? null : { sha256: previous })
      names(statement)
    }
    const payload = canonicalJson(statement.value)
    previous = sha256AtOnce(payload)
    if (statement.get("predicateType") === predicateType("release")) made.set(statement.get("predicate.at"), previous)
    return sealed(signer(entry), payload)
  })
  const { entry, envelope } = pack.live
  // And the row of the host carries it.
  if (entry !== undefined && envelope !== undefined) pack.live.envelope = pack.statements[entry] ?? envelope
  if (relog) logAnew(scene, pack)
}

/** A checkpoint over what is there now. */
const logAnew = ({ log, origin }: Scene, pack: Pack): void => {
  let edge: ReadonlyArray<string> = []
  for (const [entry, line] of pack.statements.entries()) edge = extended(edge, entry, payloadOf(line))
  pack.checkpoint = signedNote(log, origin, pack.statements.length, rootOf(edge))
}

/** Changes a record; answers its new digest. */
export const changeRecord = (pack: Pack, name: string, change: (record: Json) => void): { sha256: string } => {
  const record = new Json(JSON.parse(pack.records.get(name)!))
  change(record)
  const text = canonicalJson(record.value)
  pack.records.set(name, text)
  return { sha256: sha256AtOnce(text) }
}

/** Changes one entry of the key history, and signs it with a key. */
export const changeKey = (pack: Pack, entry: number, signer: SceneKey, change: (statement: Json) => void): void => {
  const statement = statementOf(pack.keys[entry]!)
  change(statement)
  pack.keys[entry] = sealed(signer, canonicalJson(statement.value))
}

/** The promotion of a generation, as a pack has it. */
export const promotionOf = (pack: Pack, generation: number): Json => about(pack.statements.map(statementOf), generation)

/** The name of the record of a promotion's check. */
export const evidenceOf = (pack: Pack, generation: number, check: number): string =>
  `evidence ${promotionOf(pack, generation).text(`predicate.checks.${check}.id`)}`

/** The name of the first approval of a promotion. */
export const approvalOf = (pack: Pack, generation: number): string =>
  `approval ${promotionOf(pack, generation).text("predicate.approvals.0.id")}`

/** The digest of some text. */
export const shaOf = (text: string): { sha256: string } => ({ sha256: sha256AtOnce(text) })
