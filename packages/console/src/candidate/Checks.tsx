/** The checks of a Candidate in one line: what each came to. */
import type { ReactNode } from "react"
import type { Why } from "../change/Records.ts"
import { Icon } from "../ui/Icon.tsx"
import { checkLook } from "./CheckLook.ts"

/** In the order of the plan. */
export const Checks = ({ of }: { readonly of: Why["checks"] }): ReactNode =>
  of.length === 0 ? (
    <span>none yet</span>
  ) : (
    <ul role="list" className="checks">
      {of.map(({ checkId, evidenceId, required, verdict }) => {
        const { icon, tone, words } = checkLook(verdict, evidenceId)
        return (
          <li key={checkId} className="status" data-tone={tone}>
            <Icon name={icon} />
            {checkId} {words}
            {required ? null : <span className="muted">(not required)</span>}
          </li>
        )
      })}
    </ul>
  )
