/** What is answered to a client that clones or fetches (gitprotocol-v2, gitprotocol-pack). Pure. */
import { utf8 } from "@pawl/core/primitives/Digest"
import { CloudflareLimits } from "../../CloudflareLimits.ts"
import { flushLine, pktLine } from "../artifacts/PktLines.ts"
import { joined } from "@pawl/core/primitives/JoinedBytes"
import type { GitObject } from "../GitObject.ts"
import { packPieces } from "../Pack.ts"
import type { PackChoice } from "./PackChoice.ts"
import type { FetchAsked } from "./UploadRequest.ts"

/** The bytes of an answer, each made when it is asked for. */
export type Pieces = Iterable<Uint8Array>

/** Commits by the name of their ref. */
export type Refs = ReadonlyMap<string, string>

const delimiterLine = utf8("0001")
const headRef = "HEAD"
const mainRef = "refs/heads/main"
const none = "0".repeat(40)
const capabilities = [
  "multi_ack_detailed",
  "side-band",
  "side-band-64k",
  "thin-pack",
  "ofs-delta",
  "no-progress",
  "shallow",
  "filter",
  "object-format=sha1",
  "agent=pawl"
].join(" ")

/** All refs in their order, the one that a clone begins with first. */
const named = (refs: Refs): ReadonlyArray<readonly [name: string, commit: string]> => {
  const main = refs.get(mainRef)
  const sorted = [...refs].sort(([one], [other]) => (one < other ? -1 : 1))
  return main === undefined ? sorted : [[headRef, main], ...sorted]
}

/** What a conversation begins with. */
export const opening = (refs: Refs, version: 0 | 1 | 2): Uint8Array => {
  if (version === 2)
    return joined([
      ...["version 2", "agent=pawl", "ls-refs", "fetch=shallow filter", "object-format=sha1"].map((each) =>
        pktLine(`${each}\n`)
      ),
      flushLine
    ])
  const head = refs.has(mainRef) ? ` symref=${headRef}:${mainRef}` : ""
  const all = refs.size === 0 ? [["capabilities^{}", none] as const] : named(refs)
  return joined([
    ...(version === 1 ? [pktLine("version 1\n")] : []),
    ...all.map(([name, commit], at) => pktLine(`${commit} ${name}${at === 0 ? `\0${capabilities}${head}` : ""}\n`)),
    flushLine
  ])
}

/** The refs whose names begin as is asked; of all, where nothing is. */
export const listing = (refs: Refs, prefixes: ReadonlyArray<string>, symbolic: boolean): Uint8Array =>
  joined([
    ...named(refs).flatMap(([name, commit]) => {
      if (prefixes.length > 0 && !prefixes.some((each) => name.startsWith(each))) return []
      const target = symbolic && name === headRef ? ` symref-target:${mainRef}` : ""
      return [pktLine(`${commit} ${name}${target}\n`)]
    }),
    flushLine
  ])

/** An end, which git shows to whoever runs it. */
export const refusal = (words: string): Uint8Array => pktLine(`ERR ${words}\n`)

/** A pack in lines of the first band, each as long as it may be; what is left over when it ends is a shorter one. */
function* banded(objects: ReadonlyArray<GitObject>, most: number): Generator<Uint8Array, void> {
  let held: Array<Uint8Array> = []
  let size = 0
  const lineOf = (bytes: Uint8Array) =>
    joined([utf8((bytes.length + 5).toString(16).padStart(4, "0")), Uint8Array.of(1), bytes])
  for (const piece of packPieces(objects)) {
    held.push(piece)
    size += piece.length
    if (size < most) continue
    const bytes = joined(held)
    const whole = bytes.length - (bytes.length % most)
    for (let at = 0; at < whole; at += most) yield lineOf(bytes.subarray(at, at + most))
    held = [bytes.subarray(whole)]
    size = bytes.length - whole
  }
  if (size > 0) yield lineOf(joined(held))
  yield flushLine
}

const shallowLines = ({ deepened, shallow }: PackChoice): ReadonlyArray<Uint8Array> => [
  ...shallow.map((id) => pktLine(`shallow ${id}\n`)),
  ...deepened.map((id) => pktLine(`unshallow ${id}\n`))
]

/** How far the two sides are with what they have in common. */
export interface Talk {
  readonly asked: FetchAsked
  /** What the client has, of what is at hand here. */
  readonly common: ReadonlyArray<string>
  /** Whether that is enough to leave out all that it has. */
  readonly isEnough: boolean
}

/** Whether a pack is sent now, or what the client has is not told to its end yet. */
export const sendsPack = ({ asked, isEnough }: Talk, version: 0 | 1 | 2): boolean =>
  asked.isDone || (version === 2 && isEnough)

const acknowledged = ({ common, isEnough }: Talk): ReadonlyArray<Uint8Array> => [
  pktLine("acknowledgments\n"),
  ...(common.length === 0 ? [pktLine("NAK\n")] : common.map((id) => pktLine(`ACK ${id}\n`))),
  ...(isEnough ? [pktLine("ready\n")] : [])
]

function* versionTwo(talk: Talk, choice: PackChoice | null): Generator<Uint8Array, void> {
  if (!talk.asked.isDone) yield joined([...acknowledged(talk), choice === null ? flushLine : delimiterLine])
  if (choice === null) return
  if (talk.asked.depth !== null) yield joined([pktLine("shallow-info\n"), ...shallowLines(choice), delimiterLine])
  yield pktLine("packfile\n")
  yield* banded(choice.objects, CloudflareLimits.gitBandBytes)
}

/** The lines that end a round of what a client has, where it is not told how to take several. */
const plainRound = ({ asked, common }: Talk): ReadonlyArray<Uint8Array> => {
  const last = common.at(asked.isDone ? -1 : 0)
  return [pktLine(last === undefined ? "NAK\n" : `ACK ${last}\n`)]
}

const detailedRound = ({ asked, common, isEnough }: Talk): ReadonlyArray<Uint8Array> => {
  const last = common.at(-1)
  return [
    ...common.map((id) => pktLine(`ACK ${id} common\n`)),
    ...(isEnough && !asked.isDone && last !== undefined ? [pktLine(`ACK ${last} ready\n`)] : []),
    pktLine(asked.isDone && last !== undefined ? `ACK ${last}\n` : "NAK\n")
  ]
}

function* versionZero(talk: Talk, choice: PackChoice | null): Generator<Uint8Array, void> {
  const { capabilities: has, depth, haves, isDone } = talk.asked
  if (depth !== null && choice !== null) yield joined([...shallowLines(choice), flushLine])
  // A client that asks for a depth ends its request there: it is told what that cuts off before it goes on.
  if (haves.length > 0 || isDone) yield joined(has.has("multi_ack_detailed") ? detailedRound(talk) : plainRound(talk))
  if (!isDone || choice === null) return
  if (has.has("side-band-64k")) yield* banded(choice.objects, CloudflareLimits.gitBandBytes)
  else if (has.has("side-band")) yield* banded(choice.objects, CloudflareLimits.gitShortBandBytes)
  else yield* packPieces(choice.objects)
}

/** The answer to a fetch; `choice` is null while no pack is sent and no depth was asked for. */
export const fetchAnswer = (talk: Talk, choice: PackChoice | null, version: 0 | 1 | 2): Pieces =>
  version === 2 ? versionTwo(talk, choice) : versionZero(talk, choice)
