/** The owner's token of a new data folder: kept in `<data>/owner-token`, readable by its owner alone. */
import { randomBytes } from "node:crypto"
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from "node:fs"
import { join } from "node:path"
import { isTokenText, tokenForm } from "@pawl/core/access/Tokens"
import { Effect, Redacted } from "effect"
import { InvalidOptions } from "./Options.ts"

/** The token that this folder's server lets its owner in with. */
export interface OwnerToken {
  readonly token: Redacted.Redacted
  /** Whether the token was made now, and is to be shown once. */
  readonly fresh: boolean
}

/**
 * Written whole before it is used, so that a crash leaves either no token or one that works at the next start. Several
 * processes may start on the folder at once: each writes a file of its own, and `publish` gives it the name.
 */
const write = (path: string, token: string, publish: (temporary: string) => void): void => {
  const temporary = `${path}.${process.pid}.new`
  const file = openSync(temporary, "w", 0o600)
  try {
    writeSync(file, `${token}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  publish(temporary)
}

const kept = (path: string) => Redacted.make(readFileSync(path, "utf8").trim())

const unusable = (path: string) =>
  new InvalidOptions({
    reason: `ownerToken: the token that ${path} keeps cannot be one (${tokenForm}). Delete the file, and a new one is made.`
  })

/** A new token; the one of another process, when that was faster. */
const make = (path: string): OwnerToken => {
  const token = `pawl_${randomBytes(32).toString("base64url")}`
  let fresh = true
  write(path, token, (temporary) => {
    try {
      linkSync(temporary, path)
    } catch (cause) {
      if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause
      fresh = false
    } finally {
      unlinkSync(temporary)
    }
  })
  return { token: kept(path), fresh }
}

/** The given token, else the one that is kept, else a new one. Fails with `InvalidOptions` where that is no token. */
export const read = (data: string, given: Redacted.Redacted | null): Effect.Effect<OwnerToken, InvalidOptions> =>
  Effect.filterOrFail(
    found(data, given),
    ({ token }) => isTokenText(Redacted.value(token)),
    () => unusable(join(data, "owner-token"))
  )

/** Keeps a token as the owner's, in place of the one that was kept. */
export const keep = (data: string, token: Redacted.Redacted): Effect.Effect<void> =>
  Effect.sync(() => {
    const path = join(data, "owner-token")
    write(path, Redacted.value(token), (temporary) => renameSync(temporary, path))
  })

const found = (data: string, given: Redacted.Redacted | null): Effect.Effect<OwnerToken> =>
  given !== null ? Effect.as(keep(data, given), { token: given, fresh: false }) : Effect.sync(() => keptOrNew(data))

const keptOrNew = (data: string): OwnerToken => {
  const path = join(data, "owner-token")
  try {
    return { token: kept(path), fresh: false }
  } catch {
    return make(path)
  }
}
