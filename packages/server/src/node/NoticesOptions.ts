/** The options of what carries notices between processes: the database, or servers of NATS. */
import { isAbsolute } from "node:path"
import { type NatsOptions, serversOf } from "@pawl/adapters-nats/NatsAddress"
import { Option, Redacted } from "effect"

/** What carries them. */
export type NoticesChoice = { readonly _tag: "Database" } | ({ readonly _tag: "Nats" } & NatsOptions)

/** The options of notices, as they were read. */
export interface ReadNoticesOptions {
  readonly notices: Option.Option<Redacted.Redacted>
  readonly noticesCredentials: Option.Option<string>
}

const [servers, file] = ["notices (PAWL_NOTICES)", "noticesCredentials (PAWL_NOTICES_CREDENTIALS)"]

/**
 * The choice that the options make, or what is wrong with them, in words. `isEmbedded`: one process has the database to
 * itself.
 */
export const noticesOf = (read: ReadNoticesOptions, isEmbedded: boolean): NoticesChoice | string => {
  const [given, credentials] = [Option.getOrNull(read.notices), Option.getOrNull(read.noticesCredentials)]
  if (given === null)
    return credentials === null
      ? { _tag: "Database" }
      : `${file}: set ${servers} to nats://host:port too, or leave it out`
  const found = serversOf(Redacted.value(given))
  if (typeof found === "string") return `${servers}: ${found}`
  if (isEmbedded)
    return `${servers}: leave it out: the embedded server has nobody to tell; separate processes need Postgres (databaseUrl)`
  if (credentials !== null && found.login !== null)
    return `${file}: leave it out, or the user, password and token out of ${servers}`
  if (credentials !== null && !isAbsolute(credentials)) return `${file}: name the file by its absolute path`
  return { _tag: "Nats", ...found, credentials }
}
