/** The Project that a screen is in. */
import { createContext, useContext } from "react"
import type { Project } from "./ByLabel.ts"

/** Set around every screen below `/p/<label>`. */
export const Here = createContext<Project | null>(null)

/** The Project of the address. Only screens below `/p/<label>` may ask. */
export const useProjectHere = (): Project => {
  const project = useContext(Here)
  if (project === null) throw new Error("This screen is in no Project")
  return project
}
