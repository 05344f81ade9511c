/**
 * Where the screen is that is shown. It follows the address as soon as the next screen is drawn, which the browser does in
 * pieces: who chose it is answered at once, by the bar. Within one screen, as in its filters, it is the address.
 */
import { createContext, type ReactNode, useContext, useDeferredValue, useMemo } from "react"
import { Router, useLocation, useSearch } from "wouter"
import { navigate } from "wouter/use-browser-location"

/** An address of the page, of which this is looked at. */
export interface Place {
  readonly path: string
  /** Without its question mark. */
  readonly search: string
}

const Shown = createContext<Place>({ path: "/", search: "" })
const usePlace = (): [string, typeof navigate] => [useContext(Shown).path, navigate]
const useShownSearch = (): string => useContext(Shown).search

/** The place to be shown, and whether it is the address yet. */
export const useShownPlace = (): { readonly shown: Place; readonly isThere: boolean } => {
  const [path] = useLocation()
  const search = useSearch()
  const here = useMemo(() => ({ path, search }), [path, search])
  const later = useDeferredValue(here)
  const isThere = later.path === path
  return { shown: isThere ? here : later, isThere }
}

/** What asks for the address below this is told the place. */
export const AtPlace = ({ children, shown }: { readonly shown: Place; readonly children: ReactNode }): ReactNode => (
  <Shown value={shown}>
    <Router hook={usePlace} searchHook={useShownSearch}>
      {children}
    </Router>
  </Shown>
)
