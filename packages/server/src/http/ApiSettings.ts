/** What the composition tells the HTTP side. */
import { Context } from "effect"
import type { ConnectionOf } from "./request/Connection.ts"

/** The options of a server that its handlers know. */
export class ApiSettings extends Context.Service<
  ApiSettings,
  {
    /** Requests of one caller in a minute. */
    readonly requestsPerMinute: number
    readonly version: string
    /** Where people reach the API and the console, without a path: `https://pawl.example`. Default: links are paths. */
    readonly origin?: string
    readonly environment: "production" | "development"
    /** Writes a line in the log for each request. Default: no. */
    readonly accessLog?: boolean
    /** Default: the answer is over with the request's scope, and an end that is missing says enough. */
    readonly connectionOf?: ConnectionOf
  }
>()("@pawl/server/http/ApiSettings") {}
