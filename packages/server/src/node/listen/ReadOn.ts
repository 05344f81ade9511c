/** What is left of a body when its request is answered: it is read and dropped, so that its sender can hear the answer. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { ServerLimits } from "../../ServerLimits.ts"

/**
 * To be called when an answer is about to be sent. A client that sends before it listens hears the answer only when all
 * was taken from it: a connection that closes with bytes unread is reset, and the answer with it. Beyond
 * `ServerLimits.bodyDiscardBytes` and `bodyDiscardMs` it is closed all the same.
 */
export const readOn = (req: IncomingMessage, res: ServerResponse): void => {
  if (req.complete || req.destroyed) return
  // An answer at once comes before Node has seen the end of a request without a body.
  if (req.headers["content-length"] === undefined && req.headers["transfer-encoding"] === undefined) return
  // What is left is read here alone: of a request that is not complete the library would close the connection itself,
  // after 256 KiB, and half a second after the answer.
  req.complete = true
  // Node would close at the end of the answer, whatever is still coming.
  const closes = !res.shouldKeepAlive
  res.shouldKeepAlive = true
  let left = ServerLimits.bodyDiscardBytes
  const cut = () => req.socket.destroy()
  const timer = setTimeout(cut, ServerLimits.bodyDiscardMs)
  req.on("data", (piece: Buffer) => {
    left -= piece.length
    if (left < 0) cut()
  })
  req.once("close", () => clearTimeout(timer))
  req.once("end", () => {
    clearTimeout(timer)
    if (!closes) return
    if (res.writableFinished) req.socket.end()
    else res.once("finish", () => req.socket.end())
  })
  req.on("error", () => undefined)
  req.resume()
}
