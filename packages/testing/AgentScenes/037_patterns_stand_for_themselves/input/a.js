const p = /^(a|b)*.+?$/
const q = 1
