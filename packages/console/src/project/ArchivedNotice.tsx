/** Above each screen of a Project that is archived: why nothing can be done. */
import type { ReactNode } from "react"
import { Notice } from "../ui/Notice.tsx"
import { useProjectHere } from "./Here.ts"

/** Nothing for any other Project. */
export const ArchivedNotice = (): ReactNode =>
  useProjectHere().status === "archived" ? (
    <Notice tone="idle" icon="stop">
      This Project is archived, for good. Its records can be read; its source and its app are gone.
    </Notice>
  ) : null
