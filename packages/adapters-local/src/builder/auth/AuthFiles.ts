/** Which files the real-auth check reads by their names alone. */

/** What a file is to the check. */
export type Kind = "code" | "markup" | "json" | "text"

/** The names of each kind of file. */
export const extensions: Readonly<Record<Kind, RegExp>> = {
  code: /\.[cm]?[jt]sx?$/i,
  markup: /\.(?:x?html?|xht|svg|vue|svelte|astro)$/i,
  json: /\.json$/i,
  text: /\.(?:txt|sql)$/i
}

/** A package.json that is none of an installed package. */
export const packageFile = /^(?:(?!.*(?:^|\/)node_modules\/).*\/)?package\.json$/

/** Whether the check reads a file even if no code imports it. */
export const isLookedAt = (path: string): boolean =>
  extensions.code.test(path) || extensions.markup.test(path) || packageFile.test(path)
