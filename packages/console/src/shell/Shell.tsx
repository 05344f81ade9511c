/** The page of who is signed in: the bar, and the screen of the address. */
import { useIsFetching, useQueryClient } from "@tanstack/react-query"
import { memo, type ReactNode, Suspense, useCallback, useEffect, useState } from "react"
import { Route, Switch } from "wouter"
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
import { AtPlace, type Place, useShownPlace } from "./ShownPlace.tsx"
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

const SteadyBar = memo(Bar)

/** A place that stays draws nothing anew. */
const ScreenAt = memo(({ shown }: { readonly shown: Place }): ReactNode => {
  const label = labelIn(shown.path)
  return (
    <AtPlace shown={shown}>
      <ScreenBoundary key={shown.path}>
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
    </AtPlace>
  )
})

/** `data-settled` of its `main` says that nothing is being asked for, and the address shown: tests wait for it. */
export const Shell = ({ signedIn }: { readonly signedIn: SignedIn }): ReactNode => {
  const client = useQueryClient()
  const { isThere, shown } = useShownPlace()
  const [keysShown, setKeysShown] = useState(false)
  const showKeys = useCallback(() => setKeysShown(true), [])
  const isSettled = useIsFetching() === 0 && isThere
  useKeys(showKeys)
  // Somebody else signed in, in another tab: nothing that was shown to the one before is shown to them.
  const [whose] = useState(signedIn.user.id)
  const isAnother = signedIn.user.id !== whose
  useEffect(() => {
    if (isAnother) location.reload()
  }, [isAnother])
  // The answer that said who is here came before all others: the news go on from there, though it may be asked for again.
  const [after] = useState<number | undefined>(signedIn.after)
  useEffect(() => goLive(client, after), [client, after])
  return (
    <>
      <a href="#main" className="skip">
        Skip to the content
      </a>
      <Notifications />
      <SteadyBar signedIn={signedIn} showKeys={showKeys} />
      <main id="main" className="main" tabIndex={-1} data-settled={isSettled}>
        <StaleNotice />
        <ScreenAt shown={shown} />
      </main>
      {keysShown ? <KeysDialog onClose={() => setKeysShown(false)} /> : null}
    </>
  )
}
