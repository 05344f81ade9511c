/** Where to go from a Change that is over. */
import type { ReactNode } from "react"
import { LinkButton } from "../ui/Button.tsx"
import { waysOn } from "./Next.ts"
import type { Change } from "./Records.ts"

/** Nothing while it is not over, and while its Project is not known (`label` is null). */
export const WaysOn = ({
  change,
  isArchived,
  label
}: {
  readonly change: Pick<Change, "status">
  readonly label: string | null
  readonly isArchived: boolean
}): ReactNode => {
  const ways = label === null ? [] : waysOn(change, label, isArchived)
  return ways.length === 0 ? null : (
    <div className="change-actions">
      {ways.map(({ title, to }) => (
        <LinkButton key={to} to={to}>
          {title}
        </LinkButton>
      ))}
    </div>
  )
}
