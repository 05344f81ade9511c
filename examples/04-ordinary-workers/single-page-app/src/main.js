import "./style.css"

const pages = {
  "/": () => import("./counter.js"),
  "/about": () => import("./about.js")
}

const show = async () => {
  const load = pages[location.pathname] ?? pages["/"]
  const { render } = await load()
  render(document.querySelector("#app"))
}

addEventListener("popstate", () => void show())
await show()
