function a() {
  return 2
}
function b() {
  return 2
}
