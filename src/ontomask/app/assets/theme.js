// Before anything is drawn: the theme that was chosen in this browser.
try {
  document.documentElement.dataset.theme = localStorage.getItem("ontomask-theme") || "auto";
} catch {
  document.documentElement.dataset.theme = "auto";
}
