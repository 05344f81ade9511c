/** The page that shows all pictures beside each other. */

/** How a screen is looked at. */
export interface SheetLook {
  readonly theme: "light" | "dark"
  readonly width: number
}

/** Both themes, wide and narrow. */
export const sheetLooks: ReadonlyArray<SheetLook> = (["light", "dark"] as const).flatMap((theme) =>
  [1280, 390].map((width) => ({ theme, width }))
)

/** The file of a picture. */
export const fileOf = (name: string, { theme, width }: SheetLook): string => `${name}-${theme}-${width}.png`

/** HTML: a row for each screen, a picture for each look, whole when it is clicked. */
export const sheetOf = (names: ReadonlyArray<string>): string => {
  const picture = (name: string, look: SheetLook) =>
    `<a href="${fileOf(name, look)}"><img loading="lazy" alt="${name}, ${look.theme}, ${look.width} px" src="${fileOf(name, look)}" style="inline-size:${look.width === 1280 ? 30 : 11}rem"></a>`
  const rows = names.map(
    (name) => `<h2>${name}</h2>\n<p>${sheetLooks.map((look) => picture(name, look)).join("\n")}</p>`
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Screens of the console</title>
<style>body{font:1rem sans-serif;background:#888}p{display:flex;align-items:start;gap:1rem;overflow-x:auto}img{border:1px solid #444}</style>
<h1>Screens of the console</h1>
${rows.join("\n")}
</html>
`
}
