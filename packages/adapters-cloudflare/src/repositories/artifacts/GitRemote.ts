/** git's smart protocol over HTTP (gitprotocol-http, version 0), as far as it is needed: refs, one pack in, one pack out. */
import { Data, Effect } from "effect"
import type { RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { CloudflareLimits } from "../../CloudflareLimits.ts"
import { joined } from "@pawl/core/primitives/JoinedBytes"
import { away, tooLarge } from "../HeldRepositories.ts"
import { inTime } from "./Artifacts.ts"
import { flushLine, lineText, pktLine, pktLinesIn } from "./PktLines.ts"

/** A repository that may be spoken to. */
export interface Door {
  /** The id of the repository. */
  readonly born: string
  readonly remote: string
  /** Secret. */
  readonly token: string
}

/** How a request is sent. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** The door leads nowhere any more: the repository is gone, or the token is. */
export class DoorClosed extends Data.TaggedError("DoorClosed")<{ readonly status: number }> {}

/** What a repository shows. */
export interface Shown {
  /** Ids by the full names of refs. */
  readonly refs: ReadonlyMap<string, string>
  readonly capabilities: ReadonlySet<string>
}

/** A ref that is to move, if it still is where it was; null: it is not there. */
export interface RefMove {
  readonly ref: string
  readonly from: string | null
  readonly to: string | null
}

const malformed = (operation: string) => away(`Artifacts answered what is not git's (${operation})`)

/** All bytes of an answer, or null when they are too many. */
const bytesOf = async ({ body }: Response, max: number): Promise<Uint8Array | null> => {
  const pieces: Array<Uint8Array> = []
  let sum = 0
  const reader = (body as ReadableStream<Uint8Array> | null)?.getReader()
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    sum += next.value.length
    pieces.push(next.value)
    if (sum > max) {
      await reader?.cancel()
      return null
    }
  }
  return joined(pieces)
}

interface Asked {
  readonly operation: string
  readonly path: string
  readonly body?: Uint8Array
  readonly maxBytes: number
  /** It only asks: where a connection breaks off it may be sent again (RFC 9110, 9.2.2). */
  readonly isQuestion: boolean
}

const asking = (fetch: Fetch, { remote, token }: Door, { body, isQuestion, maxBytes, operation, path }: Asked) =>
  inTime(
    operation,
    Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(`${remote}/${path}`, {
          method: body === undefined ? "GET" : "POST",
          headers: {
            authorization: `Bearer ${token}`,
            ...(body === undefined ? {} : { "content-type": `application/x-${path}-request` })
          },
          ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
          redirect: "manual",
          signal
        })
        if (response.status === 200) return { status: 200, bytes: await bytesOf(response, maxBytes) }
        await response.body?.cancel()
        return { status: response.status, bytes: null }
      },
      // The text of an error may repeat the address.
      catch: () => away(`no connection to Artifacts, or it broke off (${operation})`)
    }).pipe(
      // A connection that was kept may be ended by the other side as it is used again.
      Effect.retry({ times: isQuestion ? 1 : 0 })
    )
  ).pipe(
    Effect.flatMap(({ bytes, status }): Effect.Effect<Uint8Array, DoorClosed | RepositoriesUnavailable> => {
      if (status === 401 || status === 403 || status === 404) return Effect.fail(new DoorClosed({ status }))
      if (status !== 200) return Effect.fail(away(`Artifacts answered ${status} (${operation})`))
      return bytes === null ? Effect.fail(tooLarge) : Effect.succeed(bytes)
    })
  )

/** The refs of a repository as they are now. */
export const shown = Effect.fnUntraced(function* (fetch: Fetch, door: Door) {
  const bytes = yield* asking(fetch, door, {
    operation: "refs",
    path: "info/refs?service=git-upload-pack",
    isQuestion: true,
    maxBytes: CloudflareLimits.artifactsRefsBytes
  })
  const found = pktLinesIn(bytes)
  if (found === null) return yield* malformed("refs")
  const refs = new Map<string, string>()
  let capabilities: ReadonlySet<string> = new Set()
  for (const line of found.lines) {
    const [text = "", told] = lineText(line).split("\0")
    if (told !== undefined) capabilities = new Set(told.trim().split(" "))
    const [, id, ref] = /^([0-9a-f]{40}) (refs\/.*[^}])$/.exec(text) ?? []
    if (id !== undefined && ref !== undefined) refs.set(ref, id)
  }
  return { refs, capabilities } satisfies Shown
})

/** The pack of an answer, in bands beside each other or as it is; null when there is none, or it says why not. */
const packIn = (bytes: Uint8Array): Uint8Array | null => {
  const found = pktLinesIn(bytes)
  if (found === null) return null
  const pieces = [found.rest]
  for (const line of found.lines) {
    if (line[0] === 1) pieces.push(line.subarray(1))
    else if (line[0] !== 2 && !/^(NAK|ACK) ?/.test(lineText(line))) return null
  }
  return joined(pieces)
}

const wantedWords = ["side-band-64k", "ofs-delta", "no-progress"] as const

/** What these commits are made of and the known ones are not, as one pack that is whole by itself. */
export const fetched = Effect.fnUntraced(function* (
  fetch: Fetch,
  door: Door,
  {
    capabilities,
    known,
    wanted
  }: {
    readonly capabilities: Shown["capabilities"]
    readonly known: ReadonlyArray<string>
    readonly wanted: ReadonlyArray<string>
  }
) {
  const words = wantedWords.filter((word) => capabilities.has(word)).join(" ")
  const body = joined([
    ...wanted.map((id, at) => pktLine(`want ${id}${at === 0 && words !== "" ? ` ${words}` : ""}\n`)),
    flushLine,
    ...known.slice(0, CloudflareLimits.artifactsKnownCommits).map((id) => pktLine(`have ${id}\n`)),
    pktLine("done\n")
  ])
  const maxBytes = CloudflareLimits.repositoryBytes
  const bytes = yield* asking(fetch, door, {
    operation: "fetch",
    path: "git-upload-pack",
    body,
    maxBytes,
    isQuestion: true
  })
  return packIn(bytes) ?? (yield* malformed("fetch"))
})

const nothing = "0".repeat(40)

/**
 * Sends one pack and moves refs: each only from where it is said to be, which the repository itself compares. True when all
 * moved; false when another was quicker with one of them.
 */
export const pushed = Effect.fnUntraced(function* (
  fetch: Fetch,
  door: Door,
  moves: ReadonlyArray<RefMove>,
  pack: Uint8Array | null
) {
  const body = joined([
    ...moves.map(({ from, ref, to }, at) =>
      pktLine(`${from ?? nothing} ${to ?? nothing} ${ref}${at === 0 ? "\0 report-status" : ""}\n`)
    ),
    flushLine,
    ...(pack === null ? [] : [pack])
  ])
  const maxBytes = CloudflareLimits.artifactsRefsBytes
  const bytes = yield* asking(fetch, door, {
    operation: "push",
    path: "git-receive-pack",
    body,
    maxBytes,
    isQuestion: false
  })
  const [unpack, ...told] = pktLinesIn(bytes)?.lines.map(lineText) ?? []
  if (unpack === undefined) return yield* malformed("push")
  if (unpack !== "unpack ok") return yield* away("Artifacts did not take a pack in")
  const ended = new Map(told.map((line) => [line.split(" ")[1] ?? "", line.startsWith("ok ")] as const))
  if (moves.some(({ ref }) => !ended.has(ref))) return yield* malformed("push")
  return moves.every(({ ref }) => ended.get(ref) === true)
})
