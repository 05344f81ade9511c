/** The notices of a store's signals that concern whoever routes events. */
import { Effect } from "effect"
import { eventsOf, groupsOf, missed, type Signals } from "../ledger/Signals.ts"
import type { Commit } from "../ledger/Commit.ts"
import type { EventLog, RoutingNotice } from "./EventLog.ts"

const [events, groups] = [eventsOf(""), groupsOf("")]

const noticeOf = (topic: string): RoutingNotice | null => {
  if (topic.startsWith(events)) return { _tag: "Events", projectId: topic.slice(events.length) }
  if (topic.startsWith(groups)) return { _tag: "Groups", projectId: topic.slice(groups.length) }
  return topic === missed ? { _tag: "Missed" } : null
}

/** `EventLog.listen` over signals. */
export const listening =
  (signals: Signals): EventLog["Service"]["listen"] =>
  (heard) =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() =>
          signals.listen((topic) => {
            const notice = noticeOf(topic)
            if (notice !== null) heard(notice)
          })
        ),
        (stop) => Effect.sync(stop)
      )
    )

/** Tells of a commit that made or ended a consumer group. One that only moved is nothing new. */
export const announceGroups = (signals: Signals, { projectId, writes = [] }: Commit): void => {
  const isNews = (write: (typeof writes)[number]) => write.kind === "consumer" && write._tag !== "Update"
  if (projectId !== null && writes.some(isNews)) signals.notify(groupsOf(projectId))
}
