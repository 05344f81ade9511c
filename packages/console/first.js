// Before anything is drawn, and while the code of the page is on its way.

// The theme that was chosen here, or none for the system's. `src/shell/Theme.ts` writes it.
try {
  const chosen = localStorage.getItem("pawl.theme")
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen
} catch {
  // A browser that keeps nothing has the system's theme.
}

// What the page asks before all else: who is here, where somebody was (`src/api/Session.ts` writes that), else how one comes
// in. `src/api/Early.ts` takes the answer.
try {
  const isKnown = localStorage.getItem("pawl.signedIn") !== null && !location.hash.includes("login=")
  const first = isKnown ? "/v1/session" : "/auth/methods"
  const answer = fetch(first, { headers: { accept: "application/json" } })
  answer.catch(() => undefined)
  window.pawlAsked = { [first]: answer }
} catch {
  // The page asks by itself.
}
