/** Each publisher is brought up to the newest checkpoint by a command of its own: one that is away holds up nothing else. */
import { Effect } from "effect"
import { type Actor, system } from "../model/Actor.ts"
import type { ChainLog } from "../model/Chain.ts"
import { commandId, type NewCommand } from "../model/Command.ts"
import type { NewEvent } from "../model/Event.ts"
import type { DataOf } from "../model/EventData.ts"
import { type ChainId, statementKey } from "../model/Statement.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import { CheckpointPublishers, eventPublisher } from "./CheckpointPublisher.ts"
import { envelopesFrom, keyEnvelopes } from "./StatedHistory.ts"

/** The commands that publish a chain's newest checkpoint. Events are a Project's: they bring the instance's along. */
export const publications = (
  chain: ChainId,
  publishers: ReadonlyArray<{ readonly name: string }>
): ReadonlyArray<NewCommand> =>
  publishers
    .filter(({ name }) => chain !== "instance" || name !== eventPublisher.name)
    .map(({ name }) => ({
      kind: "checkpoint.publish",
      id: commandId("checkpoint.publish", `${chain}/${name}`),
      payload: { chain, publisher: name }
    }))

const publishedTo = ({ published }: ChainLog, name: string) =>
  published.find(({ publisher }) => publisher === name) ?? { publisher: name, size: 0, mark: null }

const keysCheckpoint = Effect.map(find("chainLog", "instance"), (log) => log?.record.checkpoint ?? null)

const record = (chain: ChainId, name: string, size: number, mark: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const log = yield* demand("chainLog", chain)
      const others = log.record.published.filter(({ publisher }) => publisher !== name)
      const actor = system("Publishing.record")
      const isTold = name === eventPublisher.name && size === log.record.size
      const commit: Commit.Commit = {
        name: "Publishing.record",
        projectId: chain === "instance" ? null : chain,
        actor,
        writes: [Commit.update("chainLog", log, { published: [...others, { publisher: name, size, mark }] })],
        events: isTold ? [told(log.record, actor, yield* keysCheckpoint)] : []
      }
      return { answer: undefined, commit }
    })
  )

const told = ({ chain, checkpoint, size }: ChainLog, actor: Actor, keys: string | null): NewEvent => {
  const [origin = "", , root = ""] = (checkpoint ?? "").split("\n")
  const data: DataOf<"checkpoint.published"> = { origin, size, root, checkpoint: checkpoint ?? "", keys }
  return { type: "checkpoint.published", subject: chain, data: { ...data }, actor }
}

/** Publishes what a publisher does not have yet, in batches, the checkpoint with the last. */
export const publish = Effect.fn("Publishing.publish")(function* (chain: ChainId, name: string) {
  const publisher = (yield* CheckpointPublishers).find((each) => each.name === name)
  if (publisher === undefined) return
  for (;;) {
    const log = (yield* find("chainLog", chain))?.record
    if (log === undefined || log.checkpoint === null) return
    const { mark, size: from } = publishedTo(log, name)
    if (from >= log.size) return
    if (name === eventPublisher.name) return yield* record(chain, name, log.size, name)
    const envelopes = (yield* envelopesFrom(chain, from)).slice(0, log.size - from)
    const size = from + envelopes.length
    if (envelopes.length === 0) return
    const { at } = (yield* demand("statement", statementKey(chain, size - 1))).record
    // Read before the keys: it covers no more than what is published with it.
    const overKeys = yield* keysCheckpoint
    const next = yield* publisher.publish({
      chain,
      from,
      envelopes: envelopes.map((each) => JSON.stringify(each)),
      keys: (yield* keyEnvelopes).map((each) => JSON.stringify(each)),
      keysCheckpoint: overKeys,
      checkpoint: size === log.size ? log.checkpoint : null,
      at,
      mark
    })
    if (next === null) return
    yield* record(chain, name, size, next)
  }
})
