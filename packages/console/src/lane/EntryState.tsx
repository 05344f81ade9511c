/** Where an entry of the lane is: its picture, its word, its colour. */
import type { ReactNode } from "react"
import type { Answer } from "../api/Wire.ts"
import { Icon, type IconName } from "../ui/Icon.tsx"
import type { Tone } from "../ui/StatusTone.ts"

/** One entry, as the lane answers it. */
export type Entry = Answer<"lane", "get">["entries"][number]

const looks: Readonly<Record<Entry["state"], readonly [tone: Tone, icon: IconName, words: string]>> = {
  waiting: ["idle", "clock", "Waiting"],
  running: ["run", "run", "Running"],
  ready: ["good", "check", "Ready"],
  doubtful: ["warn", "warn", "Doubtful"],
  aside: ["warn", "clock", "Aside"],
  landed: ["good", "check", "Landed"],
  rejected: ["bad", "cross", "Rejected"],
  left: ["idle", "leave", "Left"]
}

/** `of` is the state. */
export const EntryState = ({ of }: { readonly of: Entry["state"] }): ReactNode => {
  const [tone, icon, words] = looks[of]
  return (
    <span className="status" data-tone={tone}>
      <Icon name={icon} />
      {words}
    </span>
  )
}
