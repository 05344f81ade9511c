/** Which Project one is in: the one of the address, or of the Change that it names. */
import { useLocation } from "wouter"
import { useChange } from "../change/Queries.ts"
import { useProjectOf } from "../project/ProjectQueries.ts"
import { changeIn, labelIn } from "./Place.ts"

/** Its label; null where one is in none, or while a Change is not known yet. It asks for nothing that the screen does not. */
export const useLabelHere = (): string | null => {
  const [path] = useLocation()
  const change = useChange(changeIn(path)).data?.change
  const project = useProjectOf(change?.projectId ?? null)
  return labelIn(path) ?? project.data?.project.label ?? null
}
