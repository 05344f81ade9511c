/** Verifies one Project as somebody asked for it, and remembers what he has seen. */
import { Limits } from "@pawl/core/primitives/Limits"
import type { Trust } from "@pawl/core/proof/Material"
import { verify } from "@pawl/core/proof/Proofs"
import { Effect, Stream } from "effect"
import { type MemoryUnusable, pin, remember, seenOf, shownBy } from "./KnownCheckpoints.ts"
import { nodeEngine } from "./NodeEngine.ts"
import type { Subject } from "./Subjects.ts"
import { generationLines, levels, type Told, findingsOf } from "./VerdictLines.ts"
import { beginPack } from "./WrittenPack.ts"

/** How somebody wants it verified. */
export interface Asked {
  /** The keys that are trusted. */
  readonly keys: ReadonlyArray<string>
  /** One of them is to be pinned where nothing is found; null for none. */
  readonly pins: string | null
  /** A checkpoint that was kept elsewhere. */
  readonly seen: string | null
  /** Where checkpoints are remembered. */
  readonly state: string
  readonly quick: boolean
  readonly acceptRestore: boolean
  /** One generation alone is to be judged. */
  readonly generation: number | null
  /** Where a pack is written of all that is read. */
  readonly pack: string | null
  /** How old the newest statement may be, and how old an output that is gone must be, in milliseconds. */
  readonly maxAgeMs: number | null
  readonly outputsMs: number | null
  /** Milliseconds since 1970. */
  readonly now: number
}

const instant = (ms: number): string => new Date(ms).toISOString()

/** Whom to believe. A pack tells itself how its maker knew what may wait, and what may be gone. */
const trustOf = ({ keys, now, outputsMs }: Asked, { origin, project, trust }: Subject): Trust => {
  const wait = Limits.signatureWaitMs
  const told = trust ?? { logKey: null, origins: [], waiting: { from: instant(now - wait), to: instant(now + wait) } }
  const outputsSince = outputsMs === null ? trust?.outputsSince : instant(now - outputsMs)
  return { ...told, keys, project, origin, outputsSince }
}

/** What was good is remembered, and its key pinned. Answers what could not be written: that makes no verdict worse. */
const learn = Effect.fnUntraced(function* ({ pins, state }: Asked, { material, project }: Subject, key: string) {
  const known = [
    [project, material.checkpoint],
    ["instance", material.keysCheckpoint]
  ] as const
  const writing: ReadonlyArray<Effect.Effect<void, MemoryUnusable>> = [
    ...known.flatMap(([chain, checkpoint]) =>
      checkpoint === null ? [] : [remember(state, { chain, key }, checkpoint)]
    ),
    ...(pins === null ? [] : [pin(state, project, pins)])
  ]
  const told = yield* Effect.forEach(writing, (each) =>
    Effect.match(each, { onSuccess: () => [], onFailure: ({ reason }) => [reason] })
  )
  return told.flat().map((reason) => `what was seen is not remembered: ${reason}`)
})

/** What there is to say beside findings. */
const remarksOf = (
  { generation, pack, quick }: Asked,
  subject: Subject,
  { findings, isOld, verdict }: Omit<Told, "project" | "remarks">
): ReadonlyArray<string> => {
  const others = verdict.findings.length + verdict.more - findings.length
  return [
    ...(isOld ? [`the newest statement is of ${verdict.at ?? "never"}: older than --max-age`] : []),
    ...(generation === null || others === 0 ? [] : [`${others} finding(s) elsewhere: look without --generation`]),
    ...(generation === null ? [] : generationLines(verdict.told)),
    ...levels(subject, quick),
    ...(pack === null ? [] : [`written to ${pack}`])
  ]
}

/** Verifies a Project. Where nothing is found its checkpoint is remembered. Fails with `MemoryUnusable` where that cannot be read. */
export const verified = Effect.fnUntraced(function* (asked: Asked, subject: Subject) {
  const { acceptRestore, generation, keys, maxAgeMs, now, pack, quick, state } = asked
  const { project } = subject
  // The history of keys has a log of its own.
  const chains = [project, shownBy(project), "instance"]
  const remembered = (yield* Effect.forEach(chains, (chain) => seenOf(state, chain, keys))).flat()
  const kept = asked.seen === null ? remembered : [asked.seen, ...remembered]
  const known: Subject = {
    ...subject,
    material: { ...subject.material, seen: [...subject.material.seen, ...kept] }
  }
  const packing = pack === null ? null : yield* beginPack(pack, known)
  const trust = trustOf(asked, subject)
  const options = { quick, acceptRestore, engine: yield* nodeEngine, ...(generation === null ? {} : { generation }) }
  const verdict = yield* verify(packing?.material ?? known.material, trust, options)
  if (packing !== null) yield* packing.end(trust, verdict.stopped)
  const isOld = maxAgeMs !== null && (verdict.at === null || now - Date.parse(verdict.at) > maxAgeMs)
  const findings = generation === null ? verdict.findings : findingsOf(verdict, generation)
  const isGood = verdict.findings.length === 0 && !isOld
  const unwritten = isGood && verdict.firstKey !== null ? yield* learn(asked, known, verdict.firstKey) : []
  const remarks = [...remarksOf(asked, known, { findings, isOld, verdict }), ...unwritten]
  return { project, verdict, findings, remarks, isOld } satisfies Told
}, Effect.scoped)

/** The first key of the history: what trust on first use pins. Null where it cannot be read. */
export const firstKey = Effect.fnUntraced(function* ({ material, origin, project }: Subject) {
  const found = yield* verify(
    { ...material, statements: Stream.empty, checkpoint: null, keysCheckpoint: null, seen: [], heads: null },
    { keys: [], project, origin, logKey: null, origins: [] },
    { quick: true, engine: yield* nodeEngine }
  )
  return found.findings.find(({ code }) => code === "key_not_trusted")?.words ?? null
}, Effect.scoped)
