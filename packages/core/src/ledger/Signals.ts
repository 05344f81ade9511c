/** Wakes whoever waits in this process for something to be committed. It carries no data: the store is read again. */
import { Effect } from "effect"

/** One ear for a topic. It rings once. */
export interface Armed {
  /** Ends at the first `notify` since this was armed, for all who wait. */
  readonly wait: Effect.Effect<void>
  /** Stops listening. Safe to repeat. */
  readonly disarm: () => void
}

/** Notices of one process, by topic. */
export interface Signals {
  /** Begins to listen at once, so that nothing that happens while the store is read is missed. */
  readonly arm: (topic: string) => Armed
  /** Rings for everybody who listens to the topic. */
  readonly notify: (topic: string) => void
  /** Hears every topic, as often as it is notified, until the answer is called. */
  readonly listen: (heard: (topic: string) => void) => () => void
}

/** Signals of this process: what is notified elsewhere is not heard, unless somebody passes it on. */
export const make = (): Signals => {
  const listeners = new Map<string, Set<() => void>>()

  const arm = (topic: string): Armed => {
    let rung = false
    const sleepers = new Set<() => void>()
    const ring = () => {
      rung = true
      for (const wake of sleepers) wake()
      sleepers.clear()
    }
    const disarm = () => {
      const all = listeners.get(topic)
      if (all?.delete(ring) === true && all.size === 0) listeners.delete(topic)
    }
    const all = listeners.get(topic)
    if (all === undefined) listeners.set(topic, new Set([ring]))
    else all.add(ring)
    // Who is woken goes on from its scheduler, not in the middle of the commit that rang.
    const wait = Effect.withFiber<void>((fiber) =>
      Effect.callback<void>((resume) => {
        if (rung) return resume(Effect.void)
        const wake = () => fiber.currentDispatcher.scheduleTask(() => resume(Effect.void), 0)
        sleepers.add(wake)
        return Effect.sync(() => void sleepers.delete(wake))
      })
    )
    return { wait, disarm }
  }

  const everything = new Set<(topic: string) => void>()
  const listen = (heard: (topic: string) => void) => {
    everything.add(heard)
    return () => void everything.delete(heard)
  }

  const notify = (topic: string) => {
    for (const heard of everything) heard(topic)
    const all = listeners.get(topic)
    if (all === undefined) return
    listeners.delete(topic)
    for (const ring of all) ring()
  }

  return { arm, notify, listen }
}

/**
 * Ears of those who look and then wait. Each waits with the ear that was there when the wait began: a look of another
 * makes nobody deaf.
 */
export interface Listening {
  /** Listens anew; called just before a look. */
  readonly anew: () => void
  /** Waits with what was heard since the newest look. */
  readonly during: <A, E, R>(wait: (armed: Armed) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Begins to listen to a topic at once, with one ear for all who wait. */
export const listening = (signals: Signals, topic: string): Listening => {
  let ear = { armed: signals.arm(topic), waiting: 0 }
  return {
    anew: () => {
      if (ear.waiting === 0) ear.armed.disarm()
      ear = { armed: signals.arm(topic), waiting: 0 }
    },
    during: (wait) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          ear.waiting++
          return ear
        }),
        ({ armed }) => wait(armed),
        (mine) =>
          Effect.sync(() => {
            if (--mine.waiting === 0 && mine !== ear) mine.armed.disarm()
          })
      )
  }
}

/** The topic of a Project's events. */
export const eventsOf = (projectId: string): string => `events:${projectId}`
/** The topic of a Project's consumer groups: one came, or one went. */
export const groupsOf = (projectId: string): string => `groups:${projectId}`
/** The topic that says that notices of other processes may have been missed: whoever relies on them looks now. */
export const missed = "missed"
/** The topic of what a Project's app printed. */
export const appLogsOf = (projectId: string): string => `app-logs:${projectId}`
/** The topic of commands that may be due. */
export const work = "work"
