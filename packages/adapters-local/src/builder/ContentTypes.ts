/** Content types of static assets, by extension. Text is UTF-8. */
const text = "; charset=utf-8"

const types: Readonly<Record<string, string>> = {
  atom: `application/atom+xml${text}`,
  avif: "image/avif",
  bmp: "image/bmp",
  css: `text/css${text}`,
  csv: `text/csv${text}`,
  flac: "audio/flac",
  gif: "image/gif",
  glb: "model/gltf-binary",
  gltf: `model/gltf+json${text}`,
  gz: "application/gzip",
  htm: `text/html${text}`,
  html: `text/html${text}`,
  ico: "image/x-icon",
  ics: `text/calendar${text}`,
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: `text/javascript${text}`,
  json: `application/json${text}`,
  jsonld: `application/ld+json${text}`,
  m4a: "audio/mp4",
  map: `application/json${text}`,
  md: `text/markdown${text}`,
  mjs: `text/javascript${text}`,
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  oga: "audio/ogg",
  ogg: "audio/ogg",
  ogv: "video/ogg",
  opus: "audio/ogg",
  otf: "font/otf",
  pdf: "application/pdf",
  png: "image/png",
  rss: `application/rss+xml${text}`,
  svg: `image/svg+xml${text}`,
  tar: "application/x-tar",
  ttf: "font/ttf",
  txt: `text/plain${text}`,
  vtt: `text/vtt${text}`,
  wasm: "application/wasm",
  wav: "audio/wav",
  weba: "audio/webm",
  webm: "video/webm",
  webmanifest: `application/manifest+json${text}`,
  webp: "image/webp",
  woff: "font/woff",
  woff2: "font/woff2",
  xhtml: `application/xhtml+xml${text}`,
  xml: `application/xml${text}`,
  zip: "application/zip"
}

/** The content type of a file by its name; `application/octet-stream` for what is not known. */
export const contentTypeOf = (path: string): string => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const dot = name.lastIndexOf(".")
  const extension = dot < 0 ? "" : name.slice(dot + 1).toLowerCase()
  return Object.hasOwn(types, extension) ? (types[extension] ?? "") : "application/octet-stream"
}
