/** Around the screens of a Project: it is asked for once, and one that is not there is told once. */
import type { ReactNode } from "react"
import { Screen } from "../shell/Screen.tsx"
import { Problem } from "../ui/Problem.tsx"
import { Skeleton } from "../ui/Skeleton.tsx"
import { ArchivedNotice } from "./ArchivedNotice.tsx"
import { useProject } from "./ByLabel.ts"
import { Here } from "./Here.ts"

/** Below it `useProjectHere` answers. */
export const InProject = ({ children, label }: { readonly label: string; readonly children: ReactNode }): ReactNode => {
  const { data, error, refetch } = useProject(label)
  if (data !== undefined)
    return (
      <Here value={data}>
        <ArchivedNotice />
        {children}
      </Here>
    )
  return error === null ? (
    <Skeleton />
  ) : (
    <Screen title={label}>
      <Problem of={error} retry={() => void refetch()} />
    </Screen>
  )
}
