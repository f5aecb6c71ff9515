// A <picture> follows the system's theme. Make it follow the theme that the reader chose here.
const DARK = "(prefers-color-scheme: dark)";

function followTheme() {
  const theme = document.body.dataset.theme;
  const media = theme === "dark" ? "all" : theme === "light" ? "not all" : DARK;
  for (const source of document.querySelectorAll("picture source")) source.media = media;
}

document.addEventListener("DOMContentLoaded", () => {
  followTheme();
  new MutationObserver(followTheme).observe(document.body, { attributeFilter: ["data-theme"] });
});
