/** What the composition tells the HTTP side. */
import { Context } from "effect"

export class ApiSettings extends Context.Tag("@pawl/server/http/ApiSettings")<
  ApiSettings,
  {
    /** Requests of one caller in a minute. */
    readonly requestsPerMinute: number
    readonly version: string
    readonly environment: "production" | "development"
    /** Writes a line in the log for each request. Default: no. */
    readonly accessLog?: boolean
  }
>() {}
