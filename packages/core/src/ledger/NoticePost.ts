/**
 * The post of one process: the topics that wait to be told, each once, and who listens here. Each adapter of `Notices`
 * that tells other processes brings a carrier for it.
 */
import { utf8Length } from "../primitives/CodePoints.ts"
import { Limits } from "../primitives/Limits.ts"
import type { Listener } from "./Notices.ts"

/** Carries one message to all the others; it fails when it may not have gone out. */
export type Carrier = (message: string) => Promise<void>

/** What an adapter must say of its messages. */
export interface PostOptions {
  /** Who says it, so that this process does not hear itself: a text without a line break, unlike any other's. */
  readonly sender: string
  /** Topics that wait at most; beyond them the others' polling must do. */
  readonly topicsKept: number
  /** Topics of one message at most. */
  readonly topicsAtOnce: number
}

/** The post itself. */
export interface NoticePost {
  /** The topic waits until `flush`. One that is too long is not told. */
  readonly publish: (topic: string) => void
  /** Listens until the answer is called. */
  readonly subscribe: (listener: Listener) => () => void
  /** Tells who listens that notices may have been missed. */
  readonly miss: () => void
  /** Tells who listens of each topic of a message of another process. What no process of ours sends is nothing. */
  readonly hear: (message: string) => void
  /**
   * Sends what waits, a message at a time, while there is a carrier. What could not be sent waits on. One flush at a
   * time: a second one leaves it to the first. It never fails.
   */
  readonly flush: (carrier: () => Carrier | null) => Promise<void>
}

/** A post where nothing waits and nobody listens. */
export const make = ({ sender, topicsAtOnce, topicsKept }: PostOptions): NoticePost => {
  const listeners = new Set<Listener>()
  const waiting = new Set<string>()
  let sending = false

  /** What is published from here on is another notice, also of the same topic: it may be told of what came later. */
  const send = async (carry: Carrier): Promise<void> => {
    const topics = [...waiting].slice(0, topicsAtOnce)
    for (const topic of topics) waiting.delete(topic)
    try {
      await carry([sender, ...topics].join("\n"))
    } catch (error) {
      for (const topic of topics) waiting.add(topic)
      throw error
    }
  }

  return {
    publish: (topic) => {
      if (waiting.size < topicsKept && utf8Length(topic) <= Limits.noticeTopicBytes) waiting.add(topic)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    miss: () => {
      for (const { missed } of listeners) missed()
    },
    hear: (message) => {
      const [from, ...topics] = message.split("\n", topicsAtOnce + 2)
      if (from === sender || topics.length > topicsAtOnce) return
      for (const topic of topics) for (const { heard } of listeners) heard(topic)
    },
    flush: async (carrier) => {
      if (sending) return
      sending = true
      try {
        for (let carry = carrier(); carry !== null && waiting.size > 0; carry = carrier()) await send(carry)
      } catch {
        // They wait for the next carrier.
      } finally {
        sending = false
      }
    }
  }
}
