/** The owner's token of a new data folder: kept in `<data>/owner-token`, readable by its owner alone. */
import { randomBytes } from "node:crypto"
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted } from "effect"

export interface OwnerToken {
  readonly token: Redacted.Redacted
  /** Whether the token was made now, and is to be shown once. */
  readonly fresh: boolean
}

/** Written whole before it is used, so that a crash leaves either no token or one that works at the next start. */
const write = (path: string, token: string): void => {
  const temporary = `${path}.new`
  const file = openSync(temporary, "w", 0o600)
  try {
    writeSync(file, `${token}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(temporary, path)
}

/** The given token, else the one that is kept, else a new one. */
export const read = (data: string, given: Redacted.Redacted | null): Effect.Effect<OwnerToken> =>
  Effect.sync(() => {
    const path = join(data, "owner-token")
    if (given !== null) {
      write(path, Redacted.value(given))
      return { token: given, fresh: false }
    }
    try {
      return { token: Redacted.make(readFileSync(path, "utf8").trim()), fresh: false }
    } catch {
      const token = `pawl_${randomBytes(32).toString("base64url")}`
      write(path, token)
      return { token: Redacted.make(token), fresh: true }
    }
  })
