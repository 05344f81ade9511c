/** A signed statement, read for people. What it says is believed only by who checks its signature: `pawl verify` does. */

/** What is shown of an envelope. */
export interface Told {
  /** The ids of the keys that signed it. */
  readonly keyIds: ReadonlyArray<string>
  readonly predicateType: string
  /** The statement, with two spaces before each level. */
  readonly text: string
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const textOf = (base64: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)))

/** The statement in a DSSE envelope; null for what is none. */
export const toldBy = (envelope: unknown): Told | null => {
  if (!isRecord(envelope) || typeof envelope["payload"] !== "string" || !Array.isArray(envelope["signatures"]))
    return null
  try {
    const statement: unknown = JSON.parse(textOf(envelope["payload"]))
    if (!isRecord(statement)) return null
    const signatures: ReadonlyArray<unknown> = envelope["signatures"]
    return {
      keyIds: signatures.flatMap((each) =>
        isRecord(each) && typeof each["keyid"] === "string" ? [each["keyid"]] : []
      ),
      predicateType: String(statement["predicateType"]),
      text: JSON.stringify(statement, null, 2)
    }
  } catch {
    return null
  }
}
