/** What is done to the envelope that a host's row carries, where all else stays as it was. */
import type { Pack } from "./Packs.ts"
import { newStatementKey, sealed } from "./SceneKeys.ts"
import type { Scene } from "./Scenes.ts"
import type { Tampering } from "./Tampering.ts"
import { changeEnvelope, changePayload, entryOf, type Json, statementOf } from "./Thieves.ts"
import { canonicalJson } from "@pawl/core/primitives/Digest"

/** Changes the envelope that the row carries. */
const carrying =
  (change: (envelope: string, pack: Pack) => string | null) =>
  (pack: Pack): void =>
    void (pack.live.envelope = change(pack.live.envelope ?? "", pack))

/** Changes a part of it. */
const changed = (change: (envelope: Json) => void) =>
  carrying((envelope) => {
    const lines = [envelope]
    changeEnvelope(lines, 0, change)
    return lines[0] ?? null
  })

/** The release of what is served, and how it ended, as nobody has signed them. */
const unsigned = (pack: Pack, scene: Scene): void => {
  const from = pack.statements.length - 2
  pack.checkpoint = scene.checkpointAt(from)
  for (const entry of [from, from + 1])
    changeEnvelope(pack.statements, entry, (envelope) => envelope.set("signatures", []))
}

const thefts: ReadonlyArray<Omit<Tampering, "number" | "code">> = [
  {
    name: "the row carries the envelope of another release",
    change: carrying((_, pack) => pack.statements[entryOf(pack, 28, "release")] ?? null)
  },
  {
    name: "the row carries the envelope of an earlier release of what it serves",
    change: carrying((_, pack) => pack.statements[entryOf(pack, 29, "release")] ?? null)
  },
  {
    name: "the row carries the envelope of a promotion",
    change: carrying((_, pack) => pack.statements[entryOf(pack, 29)] ?? null)
  },
  {
    name: "the row carries its statement, signed by a strange key",
    change: carrying((envelope) => sealed(newStatementKey(), canonicalJson(statementOf(envelope).value)))
  },
  {
    name: "the row carries its statement, said to be signed by another key",
    change: changed((envelope) => envelope.set("signatures.0.keyid", newStatementKey().keyid))
  },
  {
    name: "the row carries another signature of its statement",
    change: changed((envelope) => {
      const bytes = Buffer.from(envelope.text("signatures.0.sig"), "base64")
      bytes[20]! ^= 1
      envelope.set("signatures.0.sig", bytes.toString("base64"))
    })
  },
  {
    name: "the row carries a statement that says something else",
    change: carrying((envelope) => {
      const lines = [envelope]
      changePayload(lines, 0, (statement) => statement.set("predicate.mayRestore", null))
      return lines[0] ?? null
    })
  },
  {
    name: "the row carries its statement under another payloadType",
    change: changed((envelope) => envelope.set("payloadType", "application/json"))
  },
  {
    name: "the row carries a key of its envelope twice",
    change: carrying((text) => text.replace("{", '{"x":1,"x":2,'))
  },
  { name: "the row carries an envelope that is cut", change: carrying((envelope) => envelope.slice(0, -9)) },
  {
    name: "the row carries an envelope without its signature",
    change: changed((envelope) => envelope.set("signatures", []))
  },
  { name: "the row carries no envelope of what is signed", change: carrying(() => null) },
  {
    name: "the row carries no statement",
    change: ({ live }) => {
      delete live.entry
      live.envelope = null
    }
  },
  {
    name: "the row carries an envelope that the chain has unsigned",
    change: unsigned
  }
]

/** What is no theft: the row of a host while the statement of what it serves waits for its signature. */
export const waitingRow = (pack: Pack, scene: Scene): void => {
  unsigned(pack, scene)
  const from = statementOf(pack.statements.at(-2)!).text("predicate.at")
  pack.live.envelope = null
  pack.trust.waiting = { from, to: new Date(Date.parse(from) + 120_000).toISOString() }
}

/** All of them, numbered from here on. */
export const rowThefts = (first: number): ReadonlyArray<Tampering> =>
  thefts.map((theft, index) => ({ ...theft, number: first + index, code: "live_statement_mismatch" }))
