/** Acting on a Change: nothing counts as done before the server says so, and then all that may have moved is asked for anew. */
import { useMutation, type UseMutationResult, useQueryClient } from "@tanstack/react-query"
import { keys } from "../api/Keys.ts"
import type { Change } from "../change/Records.ts"

/** `run` acts, `done` is told what the server answered. A refusal too means that something moved. */
export const useAct = <A, Given = void>(
  { id, projectId }: Pick<Change, "id" | "projectId">,
  run: (given: Given) => Promise<A>,
  done: (answer: A) => void
): UseMutationResult<A, Error, Given> => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: run,
    onSuccess: done,
    onSettled: () => {
      for (const queryKey of [keys.change(id), ["candidate"], keys.project(projectId), keys.inbox])
        void client.invalidateQueries({ queryKey })
    }
  })
}
