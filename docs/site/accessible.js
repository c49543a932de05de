// What the theme lacks for screen readers and keyboards.
const parts = { childList: true, subtree: true };
const readable = new CSSStyleSheet();
readable.replaceSync("ol li li { color: #555 } u { color: #3346c9 }");

// The theme's script makes the search in a shadow tree.
const completeSearch = (host) => {
  const input = host.shadowRoot?.querySelector("input");
  if (!input) return;
  const [button, filters] = host.shadowRoot.querySelectorAll("button");
  host.setAttribute("role", "search");
  input.setAttribute("role", "searchbox"); // a combobox would need a list box
  input.setAttribute("aria-label", "Search");
  button.setAttribute("aria-label", "Close");
  // No page has tags, by which this would filter.
  filters.style.display = "none";
  host.shadowRoot.adoptedStyleSheets = [readable];
  const headings = [...host.shadowRoot.querySelectorAll("h3")];
  headings.forEach((node) => node.setAttribute("aria-level", "2"));
  const panel = headings.find((node) => node.textContent === "Filters");
  panel.parentElement.parentElement.style.display = "none";
};

const completePage = () => {
  const hosts = [...document.body.children].filter((node) => node.shadowRoot);
  hosts.forEach((host) => observer.observe(host.shadowRoot, parts));
  hosts.forEach(completeSearch);
  document.querySelectorAll(".md-overlay").forEach((node) => node.setAttribute("aria-hidden", "true"));
  document.querySelectorAll(".md-code__nav").forEach((node) => node.setAttribute("role", "none"));
  document.querySelectorAll(".md-typeset__scrollwrap").forEach((node) => (node.tabIndex = 0));
  document.querySelectorAll(".md-skip").forEach((node) => node.hash !== "#__skip" || node.remove());
  document.querySelectorAll("th:empty").forEach((node) => node.replaceWith(document.createElement("td")));
};

const observer = new MutationObserver(completePage);
observer.observe(document.body, parts);
completePage();
