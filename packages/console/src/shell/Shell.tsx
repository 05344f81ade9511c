/** The page of who is signed in: the bar, and the screen of the address. */
import { useIsFetching, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, Suspense, useCallback, useEffect, useState } from "react"
import { Route, Switch, useLocation } from "wouter"
import type { SignedIn } from "../api/Session.ts"
import { goLive } from "../live/Live.ts"
import { Notifications } from "../notification/Notifications.tsx"
import { InProject } from "../project/InProject.tsx"
import { Skeleton } from "../ui/Skeleton.tsx"
import { Bar } from "./Bar.tsx"
import { StaleNotice } from "./ConnectionState.tsx"
import { KeysDialog } from "./KeysDialog.tsx"
import { NoScreen } from "./NoScreen.tsx"
import { labelIn } from "./Place.ts"
import { ScreenBoundary } from "./ScreenBoundary.tsx"
import { screens } from "./Screens.ts"
import { useKeys } from "./UseKeys.ts"

const Screens = (): ReactNode => (
  <Switch>
    {screens.map(({ path, screen }) => (
      <Route key={path} path={path} component={screen} />
    ))}
    <Route>
      <NoScreen />
    </Route>
  </Switch>
)

/** `data-settled` of its `main` says that nothing is being asked for: tests wait for it. */
export const Shell = ({ signedIn }: { readonly signedIn: SignedIn }): ReactNode => {
  const client = useQueryClient()
  const [path] = useLocation()
  const label = labelIn(path)
  const [keysShown, setKeysShown] = useState(false)
  const showKeys = useCallback(() => setKeysShown(true), [])
  const isSettled = useIsFetching() === 0
  useKeys(showKeys)
  // The answer that said who is here came before all others: the news go on from there, though it may be asked for again.
  const [after] = useState<number | undefined>(signedIn.after)
  useEffect(() => goLive(client, after), [client, after])
  return (
    <>
      <a href="#main" className="skip">
        Skip to the content
      </a>
      <Notifications />
      <Bar signedIn={signedIn} showKeys={showKeys} />
      <main id="main" className="main" tabIndex={-1} data-settled={isSettled}>
        <StaleNotice />
        <ScreenBoundary key={path}>
          <Suspense fallback={<Skeleton />}>
            {label === null ? (
              <Screens />
            ) : (
              <InProject label={label}>
                <Screens />
              </InProject>
            )}
          </Suspense>
        </ScreenBoundary>
      </main>
      {keysShown ? <KeysDialog onClose={() => setKeysShown(false)} /> : null}
    </>
  )
}
