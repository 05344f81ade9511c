/** Which version each host had started last, so that one whose app is removed does not go on running. */
import { RouterLimits } from "./RouterLimits.ts"
import type { Channel } from "@pawl/core/model/Pointer"

interface Running {
  readonly label: string
  readonly channel: Channel
  readonly versionId: string
}

/** Versions by host, for a bounded number of hosts. */
export class RunningVersions {
  // A Map keeps the order of insertion: the first is the one noted longest ago.
  private readonly byHost = new Map<string, Running>()

  /** A host's version is asked now. */
  note(label: string, channel: Channel, versionId: string): void {
    const key = `${label} ${channel}`
    if (this.byHost.get(key)?.versionId === versionId) return
    this.byHost.delete(key)
    this.byHost.set(key, { label, channel, versionId })
    if (this.byHost.size <= RouterLimits.pointerCacheEntries) return
    const [oldest] = this.byHost.keys()
    if (oldest !== undefined) this.byHost.delete(oldest)
  }

  /** The versions of a label's hosts that may still run. */
  of(label: string): ReadonlyArray<Running> {
    return [...this.byHost.values()].filter((running) => running.label === label)
  }

  /** Takes a version that was stopped off, unless its host has started another since. */
  forget({ channel, label, versionId }: Running): void {
    const key = `${label} ${channel}`
    if (this.byHost.get(key)?.versionId === versionId) this.byHost.delete(key)
  }
}
