/** Answers as they wait for their readers: in pieces, and counted against whoever asked for them. */
import { Cause, Effect, Stream } from "effect"
import { HttpBody, HttpServerResponse } from "effect/http"
import { ServerLimits } from "../../ServerLimits.ts"
import type { Place } from "./Admission.ts"
import type { Connection } from "./Connection.ts"

/** In pieces, so that it is seen whether the reader goes on: one write of many megabytes shows nothing until its end. */
const inPieces = (bytes: Uint8Array): Stream.Stream<Uint8Array> =>
  Stream.unfold(0, (at) =>
    Effect.succeed(
      at >= bytes.length
        ? undefined
        : ([bytes.subarray(at, at + ServerLimits.answerPieceBytes), at + ServerLimits.answerPieceBytes] as const)
    )
  )

/** The answer with what it holds told to its place. An answer that breaks off is cut: its end would make it look whole. */
export const paced = (
  response: HttpServerResponse.HttpServerResponse,
  place: Place | null,
  { cut }: Connection
): HttpServerResponse.HttpServerResponse => {
  const { body } = response
  if (body._tag === "Uint8Array" && body.contentLength > ServerLimits.answerPieceBytes) {
    place?.hold(body.contentLength)
    return HttpServerResponse.setBody(
      response,
      HttpBody.stream(inPieces(body.body), body.contentType, body.contentLength)
    )
  }
  if (body._tag !== "Stream") return response
  // It is open for as long as its reader likes, and has bounds of its own.
  if (body.contentType === "text/event-stream") place?.leave()
  else place?.hold(2 * ServerLimits.answerPieceBytes)
  const cutting = Stream.tapCause(body.stream, (cause) =>
    Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.sync(cut)
  )
  return HttpServerResponse.setBody(response, HttpBody.stream(cutting, body.contentType, body.contentLength))
}
