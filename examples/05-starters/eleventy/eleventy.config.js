export default function (config) {
  config.addPassthroughCopy({ "content/style.css": "style.css" });
  config.addFilter("upper", (text) => text.toUpperCase());
}

export const config = {
  dir: { input: "content", includes: "../_includes", output: "_site" },
};
