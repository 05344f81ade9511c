/** Whether somebody looks at the console: each tab that is seen holds a share of one lock, which all tabs can ask for. */

const name = "pawl.looked-at"

/** Holds a share while this tab is seen, until the signal. */
export const beSeen = (signal: AbortSignal): void => {
  let away = new AbortController()
  const look = () => {
    away.abort()
    if (document.visibilityState !== "visible" || signal.aborted) return
    const until = new AbortController()
    away = until
    const gone = () => new Promise<void>((resolve) => until.signal.addEventListener("abort", () => resolve()))
    void navigator.locks.request(name, { mode: "shared", signal: until.signal }, gone).catch(() => undefined)
  }
  document.addEventListener("visibilitychange", look)
  signal.addEventListener("abort", () => {
    document.removeEventListener("visibilitychange", look)
    away.abort()
  })
  look()
}

/** Whether a tab of this browser is seen, this one or another. */
export const isLookedAt = async (): Promise<boolean> =>
  document.visibilityState === "visible" ||
  ((await navigator.locks.query()).held ?? []).some((held) => held.name === name)
