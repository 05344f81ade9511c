/** Whose request it is, where nobody has said who he is. */
import type { IncomingMessage } from "node:http"
import { visitorOf } from "@pawl/router/Headers"

/** The address of the other end, or what a trusted proxy says: the same that apps are told. */
export const addressOf = (req: IncomingMessage, trustProxy: boolean): string => {
  const remoteAddress = req.socket.remoteAddress ?? "unknown"
  if (!trustProxy) return remoteAddress
  const forwarded = (req.headersDistinct["x-forwarded-for"] ?? []).map((value) => ["x-forwarded-for", value] as const)
  return visitorOf({ headers: forwarded, host: "", remoteAddress, secure: false }, true).address
}
