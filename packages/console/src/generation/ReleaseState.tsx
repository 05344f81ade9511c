/** How a release stands: its picture, its word, its colour. */
import type { ReactNode } from "react"
import { Icon, type IconName } from "../ui/Icon.tsx"
import type { Tone } from "../ui/StatusTone.ts"
import type { Release } from "./GenerationQueries.ts"

const looks: Readonly<Record<Release["status"], readonly [tone: Tone, icon: IconName, words: string]>> = {
  queued: ["run", "clock", "Release waits"],
  building: ["run", "run", "Releasing"],
  deployed: ["good", "check", "Released"],
  failed: ["bad", "cross", "Release failed"],
  smoke_failed: ["bad", "cross", "Smoke test failed"],
  superseded: ["idle", "stop", "Superseded"]
}

/** Null: there was no app to release. */
export const ReleaseState = ({ of }: { readonly of: Release | null | undefined }): ReactNode => {
  if (of === null || of === undefined) return <span className="none">no release</span>
  const [tone, icon, words] = looks[of.status]
  return (
    <span className="status" data-tone={tone} title={of.reason ?? undefined}>
      <Icon name={icon} />
      {words}
    </span>
  )
}
