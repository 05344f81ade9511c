/** The word of a Project in addresses, made of its name. */

const longest = 50

/** Lowercase letters, digits and single inner hyphens; empty where nothing of the name can be kept. */
export const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, longest)
    .replace(/^-+|-+$/g, "")
