/** Which installation the options ask for. No other place asks whether there is a database URL. */
import type { Options } from "../Options.ts"
import * as Embedded from "./Embedded.ts"
import type { Installation } from "./Installation.ts"
import * as Postgres from "./Postgres.ts"

/** The options that say which it is. */
export type DatabaseOptions = Pick<Options, "data" | "databaseSchema" | "databaseUrl" | "notices">

/** Postgres when there is a URL of a database, else the embedded one. */
export const of = ({ data, databaseSchema, databaseUrl, notices }: DatabaseOptions): Installation =>
  databaseUrl === null
    ? Embedded.make(data)
    : Postgres.make(data, { url: databaseUrl, schema: databaseSchema }, notices)
