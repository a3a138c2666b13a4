// For assistive technology: the theme makes a landmark of each block of code, and these get names of their own; what scrolls
// sideways can be reached by the keyboard.
const mend = () => {
  document.querySelectorAll("nav.md-code__nav").forEach((nav, i) => nav.setAttribute("aria-label", `Code block ${i + 1}`));
  document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset p:has(> img)").forEach((box) => {
    box.scrollWidth > box.clientWidth ? box.setAttribute("tabindex", "0") : box.removeAttribute("tabindex");
  });
};
new MutationObserver(mend).observe(document.documentElement, { childList: true, subtree: true });
addEventListener("resize", mend);
addEventListener("load", mend);
mend();
// Search asks a server for its index, so that a folder has none.
if (location.protocol === "file:") document.documentElement.classList.add("no-search");
