/** Questions to a registry by `fetch`: no credentials, no redirect that is followed unseen, and no more read than is asked for. */
import {
  type Intake,
  Misled,
  NotAnswered,
  type RegistryAnswer,
  type RegistryLine,
  type RegistryQuestion
} from "@pawl/adapters-local/packages/RegistryQuestion"
import { joined } from "@pawl/core/primitives/JoinedBytes"
import { Effect } from "effect"

const nothing = new Uint8Array()

/** The pieces of a body to `take`. Rejects with `Misled` beyond the bound, and leaves the rest where it is. */
const read = async (response: Response, maxBytes: number, take: Intake["write"]): Promise<void> => {
  const tooBig = () => new Misled({ code: "package_too_big", reason: `answers with more than ${maxBytes} bytes` })
  if (response.body === null) return
  const reader = response.body.getReader()
  let bytes = 0
  try {
    if (Number(response.headers.get("content-length") ?? 0) > maxBytes) throw tooBig()
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      bytes += piece.value.length
      if (bytes > maxBytes) throw tooBig()
      take(piece.value)
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined)
    throw error
  }
}

const answered = async (
  { accept, body, into, mayBePacked, maxBytes, url }: RegistryQuestion,
  signal: AbortSignal
): Promise<RegistryAnswer> => {
  const headers: Record<string, string> = {
    accept,
    "accept-encoding": mayBePacked ? "gzip" : "identity",
    "user-agent": "pawl",
    ...(body === null ? {} : { "content-type": "application/json", "content-encoding": "gzip" })
  }
  const asked = body === null ? { method: "GET" } : { method: "POST", body: body.slice() }
  const response = await fetch(url, { ...asked, headers, redirect: "manual", signal })
  const { status } = response
  const location = response.headers.get("location")
  if (status !== 200) {
    await response.body?.cancel()
    return { status, location, body: nothing }
  }
  const pieces: Array<Uint8Array> = []
  const intake = into === null ? null : into()
  await read(response, maxBytes, intake === null ? (piece) => void pieces.push(piece) : intake.write)
  return { status, location, body: joined(pieces) }
}

/** Each answer has `answerMs` milliseconds to be whole. */
export const line =
  (answerMs: number): RegistryLine =>
  (question) =>
    Effect.tryPromise({
      try: (signal) => answered(question, signal),
      // The text of an error may repeat what the registry sent.
      catch: (error) =>
        error instanceof Misled ? error : new NotAnswered({ reason: "broke off, or cannot be reached", lasting: false })
    }).pipe(
      Effect.timeoutOrElse({
        duration: answerMs,
        orElse: () => Effect.fail(new NotAnswered({ reason: "takes too long for one answer", lasting: false }))
      })
    )
