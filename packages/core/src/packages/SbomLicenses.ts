/** Licences as CycloneDX takes them: an id that SPDX (spdx.org/licenses) has, an expression of such ids, or a name. */

/** The ids that nearly all npm packages have. What is not among them is told by its name: a wrong id is no list at all. */
const ids: ReadonlySet<string> = new Set(
  (
    "0BSD AFL-2.1 AGPL-3.0-only AGPL-3.0-or-later Apache-2.0 Artistic-2.0 BSD-2-Clause BSD-3-Clause BSL-1.0 " +
    "BlueOak-1.0.0 CC-BY-3.0 CC-BY-4.0 CC0-1.0 EPL-2.0 GPL-2.0-only GPL-2.0-or-later GPL-3.0-only GPL-3.0-or-later " +
    "ISC LGPL-2.1-only LGPL-2.1-or-later LGPL-3.0-only LGPL-3.0-or-later MIT MIT-0 MPL-2.0 OFL-1.1 Python-2.0 " +
    "Unicode-3.0 Unlicense WTFPL Zlib"
  ).split(" ")
)

/** An expression of known ids alone: `(MIT OR Apache-2.0)`. */
const isExpression = (license: string): boolean => {
  const words = license.replaceAll(/[()]/g, " ").trim().split(/\s+/)
  return words.length > 1 && words.every((word, at) => (at % 2 === 1 ? word === "OR" || word === "AND" : ids.has(word)))
}

/** The `licenses` of a component; empty when the package says none. */
export const licensesOf = (license: string | null): ReadonlyArray<unknown> => {
  if (license === null || license.trim() === "") return []
  if (ids.has(license)) return [{ license: { id: license } }]
  return isExpression(license) ? [{ expression: license }] : [{ license: { name: license } }]
}
