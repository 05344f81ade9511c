/** The way to a live app: deploy it, or release the head again. It is under way once the server says so. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useProjectHere } from "../project/Here.ts"
import { useWhyNot } from "../project/May.ts"
import { announce } from "../shell/Announcements.ts"
import { Button } from "../ui/Button.tsx"
import { Problem } from "../ui/Problem.tsx"

/** `words` are those of the button. */
export const DeployButton = ({
  isMain = false,
  words
}: {
  readonly words: string
  readonly isMain?: boolean
}): ReactNode => {
  const { id } = useProjectHere()
  const why = useWhyNot("apps.deploy")
  const client = useQueryClient()
  const deploying = useMutation({
    mutationFn: () => api.apps.deploy({ params: { id } }),
    onSuccess: () => {
      announce("The app is being built")
      void client.invalidateQueries({ queryKey: keys.project(id) })
    }
  })
  return (
    <>
      {deploying.error === null ? null : <Problem of={deploying.error} />}
      <Button
        {...(isMain ? { look: "primary" as const } : {})}
        busy={deploying.isPending}
        why={why}
        onClick={() => deploying.mutate()}
      >
        {words}
      </Button>
    </>
  )
}
